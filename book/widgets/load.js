// Loads the scripts of those widgets that this page has, so that a page does not carry the others.
//
// The scripts lie in `chapters/widgets/`: mdBook copies what it finds among the chapters as it is,
// and so they stand beside this file in the built book. They are classic scripts and run in the
// order given here, each may use the globals of those before it.
(() => {
  "use strict";

  // One line a widget: `book/tests/book_builds.rs` reads this list and weighs the pages by it.
  const WIDGETS = {
    "bits-explorer": ["parts", "encodings", "bits-explorer"],
    "byte-sorter": ["parts", "encodings", "tuples", "byte-sorter"],
    "tuple-builder": ["parts", "encodings", "tuples", "tuple-builder"],
    "score-packer": ["parts", "scores", "score-packer"],
    "z-order-map": ["parts", "curve", "z-order-map"],
    "comparator-race": ["parts", "comparator-race"],
  };

  // A script's own address, because a book opened from plain files has no root.
  const here = document.currentScript.src;
  const present = Object.keys(WIDGETS).filter((element) => document.querySelector(element) !== null);
  for (const name of new Set(present.flatMap((element) => WIDGETS[element]))) {
    const script = document.createElement("script");
    script.src = new URL(`${name}.js`, here);
    script.async = false;
    document.body.append(script);
  }
})();
