// Command trellis asks a graph from the command line; see package command.
//
//	trellis call find_nodes '{"node_label": "person"}' --graph DIR
package main

import "github.com/trellisgraph/trellis/tools/command"

func main() { command.Main() }
