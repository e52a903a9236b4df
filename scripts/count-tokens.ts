/**
 * Counts the code of each folder: `node scripts/count-tokens.ts`. Counts TypeScript tokens without comments, where a
 * string, a number or each piece of a template is one token: so neither the length of names nor the width of lines
 * matters. Then counts the lines of `manifests/`.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LanguageVariant, SyntaxKind } from 'typescript/unstable/ast'
import { createScanner } from 'typescript/unstable/ast/scanner'
import { parseAst } from 'vitest/node'

const root = fileURLToPath(new URL('../', import.meta.url))

export type Token = { kind: SyntaxKind; text: string }
/** Offsets of a text between JSX tags, which only a parser recognises: TypeScript's scanner needs to be told. */
type Span = { start: number; end: number }

const isSpan = (value: unknown): value is Span & { type: string } =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value

/** The texts between JSX tags, in order. */
const jsxTexts = (node: object): Span[] =>
  Object.values(node)
    .flat()
    .filter(isSpan)
    .flatMap((child) => (child.type === 'JSXText' ? [child] : jsxTexts(child)))

/**
 * After one of these tokens a slash divides; after any other it begins a regular expression, except in a closing tag.
 */
const endsExpression = new Set([
  SyntaxKind.Identifier,
  SyntaxKind.StringLiteral,
  SyntaxKind.NumericLiteral,
  SyntaxKind.BigIntLiteral,
  SyntaxKind.RegularExpressionLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateTail,
  SyntaxKind.CloseParenToken,
  SyntaxKind.CloseBracketToken,
  SyntaxKind.CloseBraceToken,
  SyntaxKind.ThisKeyword,
  SyntaxKind.LessThanToken,
])

const opensBrace = new Set([SyntaxKind.OpenBraceToken, SyntaxKind.TemplateHead])

/** The tokens of one file, without comments. */
export const tokensOf = (file: string, text: string): Token[] => {
  const isJsx = file.endsWith('x')
  const texts = isJsx ? jsxTexts(parseAst(text, { lang: 'tsx' })) : []
  const blanked = texts.reduce(
    (code, { start, end }) => code.slice(0, start) + ' '.repeat(end - start) + code.slice(end),
    text,
  )
  const scanner = createScanner(true, isJsx ? LanguageVariant.JSX : LanguageVariant.Standard, blanked)
  const tokens: Token[] = texts
    .map(({ start, end }) => ({ kind: SyntaxKind.JsxText, text: text.slice(start, end) }))
    .filter((token) => token.text.trim() !== '')
  /** For each brace that is still open, the token that opened it. */
  const braces: SyntaxKind[] = []
  for (
    let kind = scanner.scan(), before = SyntaxKind.Unknown;
    kind !== SyntaxKind.EndOfFile;
    before = kind, kind = scanner.scan()
  ) {
    const isSlash = kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken
    if (isSlash && !endsExpression.has(before)) kind = scanner.reScanSlashToken()
    if (kind === SyntaxKind.CloseBraceToken && braces.pop() === SyntaxKind.TemplateHead) {
      kind = scanner.reScanTemplateToken(false)
      if (kind === SyntaxKind.TemplateMiddle) braces.push(SyntaxKind.TemplateHead)
    }
    if (opensBrace.has(kind)) braces.push(kind)
    tokens.push({ kind, text: scanner.getTokenText() })
  }
  if (braces.length > 0) throw new Error(`${file}: ${braces.length} braces are open at its end.`)
  return tokens
}

/** The files under version control at or below the given paths. */
export const filesOf = (...paths: string[]): string[] => {
  const { status, stdout, stderr } = spawnSync('git', ['-C', root, 'ls-files', '--', ...paths], {
    encoding: 'utf8',
    maxBuffer: 1e8,
  })
  if (status !== 0) throw new Error(`git ls-files failed: ${stderr.trim()}`)
  return stdout.trim().split('\n')
}

export const readCode = (file: string): string => readFileSync(join(root, file), 'utf8')
export const isTypeScript = (file: string): boolean => /\.tsx?$/.test(file)

/**
 * The folder that a file is counted under: folders of `shared` and `test` separately, likewise those of
 * `shared/runtime` and `shared/faces`.
 */
export const roomOf = (file: string): string => {
  const folders = file.split('/').slice(0, -1)
  const depth = folders[1] === 'runtime' || folders[1] === 'faces' ? 3 : 2
  return folders.slice(0, depth).join('/')
}

/** A text table with one line per folder and the total: names to the left, sums to the right. */
export const tableOf = (sums: Map<string, number>): string => {
  const rows = [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const all = rows.reduce((sum, [, count]) => sum + count, 0)
  const wide = Math.max(...rows.map(([name]) => name.length), 4)
  return [...rows, ['all', all] as const]
    .map(([name, count]) => `${name.padEnd(wide)} ${count.toLocaleString('en').padStart(10)}`)
    .join('\n')
}

/** The sum of `count` over the files of each folder. */
export const sumByRoom = (files: string[], count: (file: string) => number): Map<string, number> => {
  const sums = new Map<string, number>()
  for (const file of files) sums.set(roomOf(file), (sums.get(roomOf(file)) ?? 0) + count(file))
  return sums
}

if (import.meta.main) {
  const countTokens = (file: string) => tokensOf(file, readCode(file)).length
  for (const paths of [['shared', 'integrations', 'scripts'], ['test']]) {
    console.log(`Tokens of ${paths.join(', ')}`)
    console.log(`${tableOf(sumByRoom(filesOf(...paths).filter(isTypeScript), countTokens))}\n`)
  }
  console.log('Lines of manifests')
  const lines = (file: string) => readCode(file).split('\n').length - 1
  console.log(
    tableOf(
      new Map(
        filesOf('manifests')
          .filter((file) => !file.endsWith('.svg'))
          .map((file) => [file, lines(file)]),
      ),
    ),
  )
}
