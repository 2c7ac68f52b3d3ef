// Package format writes answers in the forms that models, programs and people
// read.
//
//	doc, err := format.Append(nil, format.Columns, res)
//
// json is the answer's own document. columns is JSON that says each name once: a
// list of nodes is a table for each label, a list of relationships one for each
// type, with columns and rows. Both lose nothing.
//
// csv (RFC 4180, lines end in \n) and markdown are the same tables as text, each
// under its name, with an empty line between them; an aggregate is one table
// without a name. After the rows, tables named total (of a page), truncated and
// warnings stand only where there is something to tell: an answer without them is
// complete. Given
// the types of the columns nothing is lost but which store ran what. mermaid is
// a drawing of nodes and relationships, or of a schema, without properties.
//
// Columns that are no properties begin with @. @n is a node's or relationship's
// place in the answer, from 0, where the tables one after the other are not its
// order; @distance, as in the answer, says which nodes were asked for; a path
// lists its nodes as texts, label and id, and its relationships by place.
//
// # Hostile texts
//
// What is in a graph is data, whatever it looks like. In CSV, null is an empty
// field, and what begins with an apostrophe is the text after it: so begin the
// empty text, and texts that begin with an apostrophe or as a formula of a
// spreadsheet does (=, +, -, @, tab, line break), unless they are numbers. A
// reader takes one apostrophe away. Control characters stay as they are: a CSV
// file is for programs, and no terminal should be shown one as it is. In Markdown
// what could be a picture, a link, HTML or code is escaped, so that nothing is
// fetched for having been read. In Mermaid all but letters, digits and harmless
// punctuation becomes character numbers, and ids are cut at 60 characters.
//
// # Sizes
//
// Answers about a social network, statements hidden, in bytes and in tokens as
// they may be estimated: six letters, three digits or three other characters to
// a token. Tokenizers differ by a fifth or so, their proportions hardly.
//
//	                                            json       columns           csv      markdown       mermaid
//	the schema, expanded                  2636 / 817    2636 / 817    1659 / 528    1865 / 598     672 / 255
//	30 persons, all properties           7080 / 2382   3407 / 1460   2697 / 1385   2801 / 1398     542 / 188
//	13 friends of one, and since when    3437 / 1145    1273 / 536     759 / 416     845 / 427     494 / 213
//	30 nodes within two hops            13470 / 4621   5994 / 2538   4665 / 2300   4998 / 2356    1540 / 692
//	three paths                          3430 / 1189    1706 / 712    1223 / 610    1288 / 618     266 / 121
//	counts by browser and gender           844 / 236     535 / 167      205 / 75      235 / 79             -
package format
