package engine

import "container/list"

// An lru is a map that never holds more than a given number of entries: where
// one more comes, the one that was asked for longest ago is forgotten. It is
// not safe for concurrent use.
type lru[K comparable, V any] struct {
	most  int
	byKey map[K]*list.Element
	used  list.List // of lruEntry[K, V], the latest in front
}

type lruEntry[K comparable, V any] struct {
	key   K
	value V
}

func newLRU[K comparable, V any](most int) *lru[K, V] {
	return &lru[K, V]{most: most, byKey: map[K]*list.Element{}}
}

// get returns the entry of a key, which is made if there is none.
func (l *lru[K, V]) get(key K, made func() V) V {
	if e, ok := l.byKey[key]; ok {
		l.used.MoveToFront(e)
		return e.Value.(lruEntry[K, V]).value
	}
	if len(l.byKey) >= l.most {
		oldest := l.used.Back()
		delete(l.byKey, oldest.Value.(lruEntry[K, V]).key)
		l.used.Remove(oldest)
	}
	v := made()
	l.byKey[key] = l.used.PushFront(lruEntry[K, V]{key, v})
	return v
}
