/** Commands of LaTeX and the characters that they stand for. */
const SYMBOLS: Readonly<Record<string, string>> = {
  ...{ alpha: 'α', beta: 'β', gamma: 'γ', delta: 'δ', epsilon: 'ε', varepsilon: 'ε', zeta: 'ζ', eta: 'η', theta: 'θ', iota: 'ι' },
  ...{ kappa: 'κ', lambda: 'λ', mu: 'μ', nu: 'ν', xi: 'ξ', pi: 'π', rho: 'ρ', sigma: 'σ', tau: 'τ', upsilon: 'υ', phi: 'φ' },
  ...{ varphi: 'φ', chi: 'χ', psi: 'ψ', omega: 'ω', Gamma: 'Γ', Delta: 'Δ', Theta: 'Θ', Lambda: 'Λ', Xi: 'Ξ', Pi: 'Π', Sigma: 'Σ' },
  ...{ Phi: 'Φ', Psi: 'Ψ', Omega: 'Ω', cdot: '·', times: '×', div: '÷', pm: '±', leq: '≤', le: '≤', geq: '≥', ge: '≥', neq: '≠' },
  ...{ approx: '≈', equiv: '≡', propto: '∝', infty: '∞', to: '→', rightarrow: '→', Rightarrow: '⇒', in: '∈', sum: '∑', prod: '∏' },
  ...{ int: '∫', partial: '∂', nabla: '∇', degree: '°', circ: '°', ldots: '…', dots: '…', sin: 'sin', cos: 'cos', tan: 'tan' },
  ...{ log: 'log', ln: 'ln', exp: 'exp', min: 'min', max: 'max', lim: 'lim', quad: ' ' },
};

const SUPERSCRIPTS: Readonly<Record<string, string>> = { 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹' };

/** A formula in LaTeX as plain text: `F = μ N` of `F = \mu N`. An ellipsis in place of a formula that has no such form. */
export function readableFormula(latex: string): string {
  const text = latex
    .replace(/\\(?:text|mathrm|mathbf|mathit|operatorname)\{([^{}]*)\}/g, '$1')
    .replace(/\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}/g, (_, above: string, below: string) => `${grouped(above)}/${grouped(below)}`)
    .replace(/\\sqrt\{([^{}]*)\}/g, (_, root: string) => `√${grouped(root)}`)
    .replace(/\\(?:left|right)(?=[()[\]|])/g, '')
    .replace(/\\[,;:! ]/g, ' ')
    .replace(/\\([%$#&_])/g, '$1')
    .replace(/\\([A-Za-z]+)/g, (command, name: string) => (Object.hasOwn(SYMBOLS, name) ? (SYMBOLS[name] ?? command) : command))
    .replace(/\^\{?(\d)\}?(?![\d])/g, (_, digit: string) => SUPERSCRIPTS[digit] ?? '')
    .replace(/_\{([^{}]*)\}/g, '_$1')
    .replace(/\s+/g, ' ')
    .trim();
  return /[\\{}]/.test(text) ? '…' : text;
}

/** A part of a fraction or a root, in parentheses if it has an operator. */
function grouped(part: string): string {
  return /[+\-·×\s]/.test(part.trim()) ? `(${part.trim()})` : part.trim();
}
