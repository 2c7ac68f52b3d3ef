// Package social makes a social network of any size, the same on every machine,
// and asks it the ten questions that every benchmark of this module asks.
//
//	g, err := social.New(social.Options{Persons: 2000})
//	p, err := social.Pick(g)
//	for _, q := range p.Questions(g.Schema()) {
//		document, err := offered.Call(ctx, q.Tool, q.Arguments) // of tools.New
//	}
//
// Persons know each other, write posts about tags, and live in cities. Labels,
// types and properties are a part of those of the LDBC social network benchmark,
// so that the questions can be asked about its data too. Friends are drawn by
// the model of Chung and Lu (Annals of Combinatorics 6, 2002): each person has
// an expected number of friends, and a friendship is as likely as the product of
// the two numbers. The expected numbers follow a power law: k friends and more
// have a share of persons in proportion to k to the power of -1.5, which is an
// exponent of 2.5 of the density, between a third of the mean and the square
// root of all friendships. Authors of posts are drawn by the same numbers; tags
// and countries by Zipf's law.
//
// All randomness is one seed's, by integer arithmetic and by what IEEE 754 rounds
// alike everywhere, so options have one graph, to the byte.
package social
