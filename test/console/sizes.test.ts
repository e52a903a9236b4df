/** What the console sends to a browser. `npm run bench` measures the same beside the times. */
import { expect, it } from 'vitest'
import { buildConsole } from '../../scripts/console.ts'
import { consoleSizes } from '../support/console-sizes.ts'

it('every page loads at most 90 kB, and all of the console is at most 150 kB, compressed', async () => {
  const { everyPage, all } = consoleSizes(await buildConsole())
  expect(everyPage).toBeGreaterThan(20)
  expect(all).toBeGreaterThan(everyPage)
  expect(everyPage).toBeLessThanOrEqual(90)
  expect(all).toBeLessThanOrEqual(150)
})
