// to_off.js PACKAGE_FOLDER: the npm package's surface as OFF on stdout.
const { positions, cells } = require(require('path').resolve(process.argv[2]));
const lines = ['OFF', `${positions.length} ${cells.length} 0`];
for (const p of positions) lines.push(p.join(' '));
for (const c of cells) lines.push('3 ' + c.join(' '));
process.stdout.write(lines.join('\n') + '\n');
