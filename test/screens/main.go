// Command screens makes the pictures of the documentation: it drives the console on the lab at an emulated terminal,
// waits for the wanted screen, and draws its cells as SVG. No picture is made by hand, so that each shows what the
// program does.
//
//	go run ./test/screens -binary bin/ironworks -out docs/pictures
//
// Times, UUIDs and ports are those of the run; everything else is the same each time.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

// timeLimit limits the time for all pictures, which usually take a minute.
const timeLimit = 5 * time.Minute

func main() {
	binary := flag.String("binary", "bin/ironworks", "the program")
	out := flag.String("out", "docs/pictures", "folder of the pictures")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := shoot(ctx, *binary, *out)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "screens:", err)
		os.Exit(1)
	}
}

// shoot takes all pictures and then writes them.
func shoot(ctx context.Context, binary, out string) error {
	ctx, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	var album album
	for _, tour := range tours {
		if err := tour.shoot(ctx, binary, &album); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return fmt.Errorf("writing the pictures: %w", err)
	}
	for _, p := range album {
		file := filepath.Join(out, p.name+".svg")
		if err := os.WriteFile(file, p.svg, 0o644); err != nil {
			return fmt.Errorf("writing the pictures: %w", err)
		}
		fmt.Printf("%6d bytes  %s\n", len(p.svg), file)
	}
	return nil
}
