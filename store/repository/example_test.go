package repository_test

import (
	"context"
	"fmt"
	"os"

	"github.com/trellisgraph/trellis/store/repository"
)

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "repository")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)

	repo, err := repository.Folder(dir, repository.Options{})
	if err != nil {
		panic(err)
	}
	for _, text := range []string{"name: shop\n", "name: shop\ntitle: The shop\n"} {
		_, err = repository.Update(ctx, repo, "acme", func(now repository.State) (repository.Change, error) {
			return repository.Change{Item: "shop", Revision: fmt.Sprint(len(text)), Files: []repository.File{{Path: "manifest.yaml", Data: []byte(text)}}}, nil
		})
		if err != nil {
			panic(err)
		}
	}
	history, err := repo.History(ctx, "acme", "shop")
	if err != nil {
		panic(err)
	}
	for _, r := range history {
		files, err := repo.Content(ctx, "acme", "shop", r.Version)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%d %q\n", r.Version, files[0].Data)
	}
	// Output:
	// 2 "name: shop\ntitle: The shop\n"
	// 1 "name: shop\n"
}
