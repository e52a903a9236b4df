import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { Row } from '../bench/support.ts'
import { measureTokens } from './measure.ts'

const written = JSON.parse(
  readFileSync(fileURLToPath(new URL('../bench/results/tokens.json', import.meta.url)), 'utf8'),
) as Row[]

it('what a model reads keeps within its bounds, and docs/benchmarks.md says how much it is', async () => {
  const rows = await measureTokens()
  expect(rows.filter(({ holds }) => holds === false)).toEqual([])
  expect(rows.filter(({ bound }) => bound !== null)).toHaveLength(5)
  for (const { what, value } of rows) {
    const before = written.find((row) => row.what === what)?.value ?? 0
    // Ids of the sandbox are new each time, which is a few tokens in a result.
    expect(Math.abs(value - before), `${what}: run "npm run bench -- tokens"`).toBeLessThanOrEqual(
      what.includes('result') ? before / 20 : 0,
    )
  }
})
