// lilyan-run: the program without the live view and the tools, so that it is there sooner.
#include "app/cli/command_line.hpp"

int main(int argc, char** argv) { return lilyan::cli::run_program(argc, argv, {}); }
