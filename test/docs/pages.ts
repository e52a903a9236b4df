import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))
export const read = (file: string) => readFileSync(`${root}${file}`, 'utf8')

/** Every page of the documents. */
export const pages = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'manifests/README.md',
  ...readdirSync(`${root}docs`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .toSorted()
    .map((name) => `docs/${name}`),
]

export const withoutBlocks = (page: string) => read(page).replaceAll(/^ *```[^]*?^ *```$/gm, '')

/** The anchors of a page's headings. */
export const anchorsOf = (page: string): string[] =>
  [...withoutBlocks(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

const named = (file: string, ...names: string[]) => Object.fromEntries(names.map((name) => [name, file]))

/** A code block, verbatim. `mark` is the comment above it: `try:NAME`, `file:PATH`, `part:PATH` or `answer`. */
export type Block = { page: string; line: number; language: string; mark: string | undefined; text: string }

export const blocksOf = (page: string): Block[] =>
  [...read(page).matchAll(/(?:<!-- ((?:try|file|part):[^ ]+|answer) -->\s+)?^( *)```(\w*)\n([^]*?)\n *```$/gm)].map(
    ({ index, input, 1: mark, 2: indent, 3: language, 4: text }) => ({
      page,
      line: input.slice(0, index).split('\n').length,
      language: language!,
      mark,
      text: text!
        .split('\n')
        .map((line) => line.slice(indent!.length))
        .join('\n'),
    }),
  )

/** Blocks that need more than their language says, by the test that follows them. */
export const followedBy: { [name: string]: string } = {
  ...named(
    'test/docs/followed.test.ts',
    'start',
    'greeting',
    'watch',
    'watch-moves',
    'move',
    'start-body',
    'verify',
    'connect',
    'policy',
    'contract',
  ),
  ...named(
    'test/docs/followed.test.ts',
    'wire',
    'serve-wire',
    'wire-oauth',
    'limits',
    'approval-rules',
    'jwt',
    'login',
  ),
  ...named('test/docs/followed.test.ts', 'profiles', 'profile-override', 'profiles-sandbox', 'wire-check'),
  ...named('test/docs/own-profile.test.ts', 'own-profile'),
  ...named(
    'test/package/platforms.test.ts',
    'pack',
    'node',
    'typed',
    'fastify',
    'store',
    'ai-sdk',
    'openai-agents',
    'langchain',
    'mcp-http',
    'mcp-stdio',
  ),
  ...named('test/package/package.test.ts', 'release'),
  ...named('test/operating/operating.test.ts', 'operator'),
  ...named('test/docs/authors.test.ts', 'new', 'overrides', 'dev', 'record'),
  ...named('.ci/run', 'test'),
}

/** The block under `<!-- try:NAME -->`, verbatim. */
export const blockOf = (name: string): string => {
  const block = pages.flatMap(blocksOf).find(({ mark }) => mark === `try:${name}`)
  if (!block) throw new Error(`No document has a block "${name}".`)
  return block.text
}
