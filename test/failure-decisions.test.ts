import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { failures } from '#kit'
import { filesIn } from './support/source.ts'

const codes = new Set(Object.keys(failures))
const sources = ['shared', 'integrations', 'scripts/starter', 'test/fixtures/issue-desk']
  .flatMap((folder) => filesIn(folder))
  // The sandbox plays providers, which have codes of their own.
  .filter((file) => !/^shared\/(kit|sandbox)\/|\/fake|\.test\.ts$/.test(file))

const code = `'(?:${[...codes].join('|')})'`
/** `code`, `failure.code`, `thrown?.code`, `errorCode`. */
const variable = String.raw`\b\w*[cC]ode\b`
const decisions: [string, RegExp][] = [
  ['compares a code', new RegExp(`${variable}\\s*[!=]==\\s*${code}|${code}\\s*[!=]==\\s*[\\w.?]*${variable}`, 'g')],
  ['switches on a code', new RegExp(`switch \\([\\w.?]*${variable}\\)[^{]*\\{\\s*case ${code}`, 'g')],
  [
    'keeps a set of codes',
    new RegExp(`new Set<FailureCode>|new Set\\(\\[\\s*${code}(?:,\\s*${code})*,?\\s*\\]\\)`, 'g'),
  ],
  ['looks a code up in a list', new RegExp(`\\[[^\\[\\]]*${code}[^\\[\\]]*\\]\\.includes\\([\\w.?]*${variable}`, 'g')],
]

const decisionsIn = (file: string, text: string): string[] =>
  decisions.flatMap(([why, pattern]) =>
    [...text.matchAll(pattern)].map(
      ({ index, 0: match }) => `${file}:${text.slice(0, index).split('\n').length} ${why}: ${match.slice(0, 80)}`,
    ),
  )

describe('what follows from a failure', () => {
  it('is decided in the kit alone, by the columns of its table', () => {
    expect(sources.length).toBeGreaterThan(500)
    expect(sources.flatMap((file) => decisionsIn(file, readFileSync(file, 'utf8')))).toEqual([])
  })

  it.each([
    `if (failure.code === 'not_found') run()`,
    `if ('conflict' !== thrown?.code) run()`,
    `const ends = new Set(['cancelled', 'rate_limited'])`,
    `const ends = new Set<FailureCode>([])`,
    `if (['suppressed', 'rejected'].includes(failure.code)) run()`,
    `switch (failure.code) { case 'internal': run() }`,
  ])('is seen where it is decided elsewhere: %s', (text) => {
    expect(decisionsIn('elsewhere.ts', text)).toHaveLength(1)
  })

  it.each([
    `throw fail('not_found', 'No such run.')`,
    `failures: ['not_found', 'conflict']`,
    `job.state === 'cancelled'`,
  ])('may be named: %s', (text) => {
    expect(decisionsIn('elsewhere.ts', text)).toEqual([])
  })
})
