import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { flatten } from './flatten.ts'

/**
 * The format of manifests within a major version: a platform that reads an older one reads this one.
 * `manifest-<version>.json` is the format of a version that platforms have; nobody changes it, and a release with a new
 * `schemaVersion` adds the next.
 */
const read = (file: string) =>
  JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as { [path: string]: any }

const isWord = (kind: string) => kind.startsWith('"')

/** What a reader of the former format would miss or not understand. */
const breaks = (former: { [path: string]: string[] }, now: { [path: string]: string[] }): string[] =>
  Object.entries(former).flatMap(([path, kinds]) => {
    // What may be absent may also come to be always there.
    const currentKinds = now[path] ?? (path.endsWith('?') ? now[path.slice(0, -1)] : undefined)
    if (!currentKinds) return [`${path} is gone, or may now be absent`]
    const gone = kinds.filter((kind) => !currentKinds.includes(kind))
    // Lists of words may grow.
    const added = currentKinds.filter((kind) => !kinds.includes(kind) && !(isWord(kind) && kinds.some(isWord)))
    return gone.length + added.length === 0
      ? []
      : [`${path} was ${kinds.join(' | ')} and is ${currentKinds.join(' | ')}`]
  })

const former = read('../fixtures/manifest-1.2.json') as { [path: string]: string[] }
const now = () => flatten(read('../../manifests/manifest.schema.json'))

it('only gains fields and words', () => {
  const { schemaVersion: before, ...otherFields } = former
  expect(before).toEqual(['"1.2"'])
  expect(now().schemaVersion).toEqual([expect.stringMatching(/^"1\.\d+"$/)])
  expect(breaks(otherFields, now())).toEqual([])
})

it('is described with every control and badge', () => {
  const page = readFileSync(new URL('../../docs/manifest.md', import.meta.url), 'utf8')
  const described = new Set(
    [...page.matchAll(/^\| ((?:`[\w-]+`(?:, )?)+) \|/gm)].flatMap(([, words]) => words!.split(', ')),
  )
  const words = ['steps[].layout.fields[].control', 'steps[].badges[]', 'triggers[].badges[]'].flatMap(
    (path) => now()[path]!,
  )
  expect(words.length).toBeGreaterThan(20)
  expect(words.filter((word) => !described.has(word.replaceAll('"', '`')))).toEqual([])
})

it('would notice a field that is gone, optional, of another type, or short of a word', () => {
  const { 'steps[].title': _, 'steps[].tool': tool, ...otherFields } = now()
  const broken = {
    ...otherFields,
    'steps[].tool?': tool!,
    'steps[].ready': ['string'],
    'steps[].layout.fields[].place': ['"main"'],
  }
  expect(breaks(former, { ...broken, schemaVersion: ['"1.2"'] })).toEqual([
    'steps[].title is gone, or may now be absent',
    'steps[].tool is gone, or may now be absent',
    'steps[].ready was boolean and is string',
    'steps[].layout.fields[].place was "main" | "more" and is "main"',
  ])
})
