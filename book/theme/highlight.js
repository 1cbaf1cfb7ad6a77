// Colours for code: the two functions of highlight.js that mdBook's book.js calls, for the few
// languages of this book, in a twentieth of the size.
//
// A language is a list of rules tried in order at each place; the first that matches takes the
// text. Classes are those of highlight.js, so that any of its style sheets would fit.
const hljs = (() => {
  "use strict";

  const keywords = (text) => new RegExp(`\\b(?:${text.trim().split(/\s+/).join("|")})\\b`, "y");
  const NUMBER = ["number", /\b(?:0x[\da-fA-F_]+|0b[01_]+|0o[0-7_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)(?:[iu](?:8|16|32|64|128|size)|f32|f64)?\b/y];
  const STRING = ["string", /"(?:\\[\s\S]|[^"\\])*"/y];
  const SLASHES = ["comment", /\/\/[^\n]*|\/\*[\s\S]*?\*\//y];
  const HASH = ["comment", /#[^\n]*/y];
  // A word that no rule above has taken is passed over whole, or its tail would be looked at again.
  const WORD = [null, /[A-Za-z_]\w*/y];

  const rust = [
    SLASHES,
    ["string", /b?r(#*)"[\s\S]*?"\1|b?"(?:\\[\s\S]|[^"\\])*"|b?'(?:\\(?:u\{[^}]*\}|x..|.)|[^'\\\n])'/y],
    ["symbol", /'[a-z_]\w*/y],
    ["meta", /#!?\[[^\]\n]*\]/y],
    ["keyword", keywords(`as async await break const continue crate dyn else enum extern fn for if impl in let loop
      match mod move mut pub ref return self static struct super trait type unsafe use where while`)],
    ["literal", keywords("true false")],
    ["built_in", /\b[a-z_]\w*!(?=[\s([{])/y],
    ["type", /\b(?:[A-Z]\w*|[iu](?:8|16|32|64|128|size)|f32|f64|bool|char|str|Self)\b/y],
    ["title", /\b[a-z_]\w*(?=(?:::<[^>\n]*>)?\()/y],
    NUMBER,
    WORD,
  ];
  // A word of the shell goes on to the next space: neither `754` in `ch04-ieee-754` is a number nor `cargo` in `.cargo` a command.
  const shell = [
    HASH, STRING, ["string", /'[^']*'/y], ["meta", /^[$>] /my], ["keyword", /(?:cargo|mdbook|git|redis-cli|cd|if|then|fi|for|do|done)(?=[\s;]|$)/y],
    ["attr", /--?[a-zA-Z][\w-]*/y], ["number", /\d+(?:\.\d+)*(?=[\s;]|$)/y], [null, /[^\s;'"]+/y],
  ];
  const config = [HASH, STRING, ["section", /^\[[^\]\n]*\]/my], ["attr", /^[\w.-]+(?=\s*=)/my], ["literal", keywords("true false")], NUMBER, WORD];
  const json = [["attr", /"(?:\\.|[^"\\])*"(?=\s*:)/y], STRING, ["literal", keywords("true false null")], NUMBER];

  const LANGUAGES = {
    rust, rs: rust, console: shell, sh: shell, bash: shell, shell, toml: config, json,
  };

  /** `[start, end, class]` of every coloured piece of the text, in order. */
  function tokens(rules, text) {
    const found = [];
    let at = 0;
    while (at < text.length) {
      let taken = 1;
      for (const [name, pattern] of rules) {
        pattern.lastIndex = at;
        const match = pattern.exec(text);
        if (match === null || match[0] === "") continue;
        taken = match[0].length;
        if (name !== null) found.push([at, at + taken, `hljs-${name}`]);
        break;
      }
      at += taken;
    }
    return found;
  }

  // mdBook wraps hidden lines in elements of their own, so a piece may reach over several text
  // nodes: each of them gets its part.
  function paint(block, pieces) {
    const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
    const nodes = [];
    while (walker.nextNode()) nodes.push(walker.currentNode);
    let start = 0;
    for (const node of nodes) {
      const { length, data } = node;
      const parts = [];
      let at = 0;
      for (const [from, to, name] of pieces) {
        const [a, b] = [Math.max(from - start, 0), Math.min(to - start, length)];
        if (a >= b) continue;
        const span = document.createElement("span");
        span.className = name;
        span.textContent = data.slice(a, b);
        parts.push(data.slice(at, a), span);
        at = b;
      }
      if (parts.length > 0) node.replaceWith(...parts, data.slice(at));
      start += length;
    }
  }

  function highlightBlock(block) {
    const language = [...block.classList].map((name) => name.replace(/^language-/, "")).find((name) => Object.hasOwn(LANGUAGES, name));
    block.classList.add("hljs");
    if (language !== undefined) paint(block, tokens(LANGUAGES[language], block.textContent));
  }

  return { configure() {}, highlightBlock };
})();
