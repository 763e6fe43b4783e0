// The cube that the mesh files here are made from: see README.md.
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 1, 1, 1};
Point(9) = {0.3, 0.4, 0.55};
Point{9} In Volume{1};
Physical Volume("body") = {1};
Physical Surface("skin") = {1:6};
Mesh.CharacteristicLengthMin = 1;
Mesh.CharacteristicLengthMax = 1;
