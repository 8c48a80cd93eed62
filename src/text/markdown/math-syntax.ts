import type { Extension as MdastExtension } from 'mdast-util-from-markdown';
import { factorySpace } from 'micromark-factory-space';
import { markdownLineEnding } from 'micromark-util-character';
import type { Code, Construct, Effects, Extension, State, TokenizeContext } from 'micromark-util-types';

/** A formula in LaTeX within a paragraph; `isDisplay` for `$$…$$`. */
export interface InlineMath {
  readonly type: 'inlineMath';
  readonly value: string;
  readonly isDisplay: boolean;
  position?: import('unist').Position | undefined;
}

export interface MathBlock {
  readonly type: 'math';
  readonly value: string;
  position?: import('unist').Position | undefined;
}

declare module 'mdast' {
  interface PhrasingContentMap {
    inlineMath: InlineMath;
  }
  interface RootContentMap {
    inlineMath: InlineMath;
    math: MathBlock;
  }
  interface BlockContentMap {
    math: MathBlock;
  }
}

declare module 'micromark-util-types' {
  interface TokenTypeMap {
    inlineMath: 'inlineMath';
    inlineMathFence: 'inlineMathFence';
    inlineMathData: 'inlineMathData';
    math: 'math';
    mathFence: 'mathFence';
    mathValue: 'mathValue';
  }
}

const DOLLAR = 36;
const BACKSLASH = 92;

export const mathSyntax: Extension = {
  text: { [DOLLAR]: { name: 'inlineMath', tokenize: tokenizeInlineMath, previous: mayOpenAfter } },
  flow: { [DOLLAR]: { name: 'math', tokenize: tokenizeMathBlock, concrete: true } },
};

/** A dollar sign after a letter or digit belongs to a currency, as in "US$5". */
function mayOpenAfter(this: TokenizeContext, code: Code): boolean {
  return !(code !== null && (code === DOLLAR || /[\p{L}\p{N}]/u.test(String.fromCodePoint(Math.max(0, code)))));
}

/** "5, or 5" of "$5, or 5$": a number with words is a price. Commands such as `\times` are no words. */
const PRICE = /^\d[\d.,]*\s.*(?<![\\\p{L}])\p{L}{2}/su;

/** Variables of a shell, as in `$HOME/bin:$PATH`: a name in capitals, or a separator before the second dollar sign. */
const SHELL_VARIABLE = /^\{?[A-Z_][A-Z0-9_]+(?![\p{L}\p{N}])|[^\p{L}\p{N}\s)\]}'!|]$/u;

/** As Pandoc (`tex_math_dollars`): no space inside the dollar signs, no digit after the closing one. So "$5 and $10" is text. */
function tokenizeInlineMath(effects: Effects, ok: State, nok: State): State {
  let size = 0;
  let closing = 0;
  let text = '';
  return start;

  function start(code: Code): State | undefined {
    effects.enter('inlineMath');
    effects.enter('inlineMathFence');
    return open(code);
  }

  function open(code: Code): State | undefined {
    if (code === DOLLAR) {
      if (++size > 2) return nok(code);
      effects.consume(code);
      return open;
    }
    effects.exit('inlineMathFence');
    if (code === null || (size === 1 && (code === 32 || code < 0))) return nok(code);
    return between(code);
  }

  function between(code: Code): State | undefined {
    if (code === null) return nok(code);
    if (code === DOLLAR) {
      if (size === 1 && (text === '' || /\s$/.test(text) || PRICE.test(text))) return nok(code);
      if (text.trim() === '') return nok(code);
      effects.enter('inlineMathFence');
      return close(code);
    }
    if (markdownLineEnding(code)) {
      effects.enter('lineEnding');
      effects.consume(code);
      effects.exit('lineEnding');
      text += '\n';
      return between;
    }
    effects.enter('inlineMathData');
    return data(code);
  }

  function data(code: Code): State | undefined {
    if (code === null || code === DOLLAR || markdownLineEnding(code)) {
      effects.exit('inlineMathData');
      return between(code);
    }
    text += code < 0 ? ' ' : String.fromCodePoint(code);
    effects.consume(code);
    return code === BACKSLASH ? escaped : data;
  }

  function escaped(code: Code): State | undefined {
    if (code !== DOLLAR && code !== BACKSLASH) return data(code);
    text += String.fromCodePoint(code);
    effects.consume(code);
    return data;
  }

  function close(code: Code): State | undefined {
    if (code === DOLLAR && closing < size) {
      closing += 1;
      effects.consume(code);
      return close;
    }
    if (closing < size || code === DOLLAR || (size === 1 && code !== null && code >= 48 && code <= 57)) return nok(code);
    if (size === 1 && code !== null && code > 0 && /[\p{L}_{]/u.test(String.fromCodePoint(code)) && SHELL_VARIABLE.test(text))
      return nok(code);
    effects.exit('inlineMathFence');
    effects.exit('inlineMath');
    return ok(code);
  }
}

const NEXT_LINE: Construct = { tokenize: tokenizeNextLine, partial: true };

/** A block between lines of `$$`, with the rules of fenced code (CommonMark 0.31.2, section 4.5). */
function tokenizeMathBlock(this: TokenizeContext, effects: Effects, ok: State, nok: State): State {
  const { interrupt } = this;
  let size = 0;
  return start;

  function start(code: Code): State | undefined {
    effects.enter('math');
    effects.enter('mathFence');
    return open(code);
  }

  function open(code: Code): State | undefined {
    if (code === DOLLAR) {
      size += 1;
      effects.consume(code);
      return open;
    }
    if (size < 2) return nok(code);
    return code === -2 || code === -1 || code === 32 ? factorySpace(effects, afterOpen, 'whitespace')(code) : afterOpen(code);
  }

  function afterOpen(code: Code): State | undefined {
    if (code === null || !markdownLineEnding(code)) return nok(code);
    effects.exit('mathFence');
    return interrupt ? ok(code) : effects.attempt(NEXT_LINE, lineStart, end)(code);
  }

  function lineStart(code: Code): State | undefined {
    return effects.attempt({ tokenize: tokenizeClose, partial: true }, end, valueStart)(code);
  }

  function valueStart(code: Code): State | undefined {
    if (code === null) return end(code);
    if (markdownLineEnding(code)) return effects.attempt(NEXT_LINE, lineStart, end)(code);
    effects.enter('mathValue');
    return value(code);
  }

  function value(code: Code): State | undefined {
    if (code === null || markdownLineEnding(code)) {
      effects.exit('mathValue');
      return valueStart(code);
    }
    effects.consume(code);
    return value;
  }

  function end(code: Code): State | undefined {
    effects.exit('math');
    return ok(code);
  }

  function tokenizeClose(closeEffects: Effects, closeOk: State, closeNok: State): State {
    let closing = 0;
    return factorySpace(closeEffects, fence, 'linePrefix', 4);

    function fence(code: Code): State | undefined {
      closeEffects.enter('mathFence');
      return sequence(code);
    }

    function sequence(code: Code): State | undefined {
      if (code === DOLLAR) {
        closing += 1;
        closeEffects.consume(code);
        return sequence;
      }
      if (closing < size) return closeNok(code);
      return factorySpace(closeEffects, after, 'whitespace')(code);
    }

    function after(code: Code): State | undefined {
      if (code !== null && !markdownLineEnding(code)) return closeNok(code);
      closeEffects.exit('mathFence');
      return closeOk(code);
    }
  }
}

function tokenizeNextLine(this: TokenizeContext, effects: Effects, ok: State, nok: State): State {
  const { parser, now } = this;
  return (code) => {
    if (code === null || !markdownLineEnding(code)) return nok(code);
    effects.enter('lineEnding');
    effects.consume(code);
    effects.exit('lineEnding');
    return (next) => (parser.lazy[now().line] ? nok(next) : ok(next));
  };
}

export const mathFromMarkdown: MdastExtension = {
  enter: {
    inlineMath(token) {
      this.enter({ type: 'inlineMath', value: '', isDisplay: this.sliceSerialize(token).startsWith('$$') }, token);
      this.buffer();
    },
    math(token) {
      this.enter({ type: 'math', value: '' }, token);
      this.buffer();
    },
  },
  exit: {
    inlineMathData(token) {
      this.config.enter['data']?.call(this, token);
      this.config.exit['data']?.call(this, token);
    },
    mathValue(token) {
      this.config.enter['data']?.call(this, token);
      this.config.exit['data']?.call(this, token);
    },
    inlineMath(token) {
      const value = this.resume().trim();
      Object.assign(this.stack.at(-1) ?? {}, { value });
      this.exit(token);
    },
    math(token) {
      const value = this.resume().replace(/^\n|\n$/g, '');
      Object.assign(this.stack.at(-1) ?? {}, { value });
      this.exit(token);
    },
  },
};
