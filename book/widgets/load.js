// Loads the scripts and looks of those widgets that this page has, so that a page does not carry the others.
//
// They lie in `chapters/widgets/`: mdBook copies what it finds among the chapters as it is,
// and so they stand beside this file in the built book. The scripts are classic ones and run in the
// order given here, each may use the globals of those before it.
(() => {
  "use strict";

  // One line a widget, before it those for which it needs more: `book/tests/book_builds.rs` reads this list and weighs the
  // pages by it.
  const WIDGETS = {
    "bits-explorer": ["parts", "encodings", "bits-explorer"],
    "byte-sorter[type=text]": ["parts", "encodings", "tuples", "byte-sorter"],
    "byte-sorter": ["parts", "encodings", "byte-sorter"],
    "tuple-builder": ["parts", "encodings", "tuples", "tuple-builder"],
    "score-packer": ["parts", "scores", "score-packer"],
    "z-order-map": ["parts", "curve", "z-order-map"],
    "comparator-race": ["parts", "comparator-race"],
  };

  // A script's own address, because a book opened from plain files has no root.
  const here = document.currentScript.src;
  const present = Object.keys(WIDGETS).filter((element) => document.querySelector(element) !== null);

  function add(tag, attributes) {
    const node = Object.assign(document.createElement(tag), attributes);
    document.body.append(node);
    return new Promise((done) => { node.onload = node.onerror = done; });
  }

  // The looks first: a widget that stands there without them would jump.
  const looks = ["parts", ...present.filter((element) => !element.includes("["))].map((name) => ({ rel: "stylesheet", href: new URL(`${name}.css`, here) }));
  if (present.length > 0) Promise.all(looks.map((look) => add("link", look))).then(() => {
    const scripts = new Set(present.flatMap((element) => WIDGETS[element]));
    for (const name of scripts) add("script", { src: new URL(`${name}.js`, here), async: false });
  });
})();
