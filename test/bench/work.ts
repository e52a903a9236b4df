/** What the largest answers and bodies of ten shapes cost through each face: `node test/bench/work.ts`. */
import { inputLimits } from '#kit'
import { shapesOf } from '../support/shapes.ts'
import { openFacesWorld, secret } from '../support/faces-world.ts'
import { plainMs, workOf } from '../support/work.ts'
import type { WorkCost } from '../support/work.ts'
import { median, report, row } from './support.ts'
import type { Row } from './support.ts'

const rounds = 3
const world = await openFacesWorld()

/**
 * The dearest shape of a face: CPU against reading and printing the same text once, and the longest turn of the event
 * loop.
 */
const rowsFor = async (
  what: string,
  shapes: Record<string, string>,
  work: (text: string) => Promise<unknown>,
): Promise<Row[]> => {
  const costs: { shape: string; times: number; turnMs: number }[] = []
  for (const [shape, text] of Object.entries(shapes)) {
    await work(text)
    const measurements: WorkCost[] = []
    const plain: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      plain.push(plainMs(text))
      measurements.push(await workOf(() => work(text)))
    }
    const turnMs = median(measurements.map((measurement) => measurement.turnMs))
    costs.push({ shape, times: median(measurements.map(({ allMs }) => allMs)) / median(plain), turnMs })
  }
  const dearest = costs.toSorted((a, b) => b.times - a.times)[0]!
  const longest = costs.toSorted((a, b) => b.turnMs - a.turnMs)[0]!
  return [
    row(
      `${what}, CPU against JSON.parse and stringify, median of ten shapes`,
      median(costs.map(({ times }) => times)),
      'x',
      '<= 8',
    ),
    row(`the same, dearest shape (${dearest.shape})`, dearest.times, 'x'),
    row(`the same, longest turn of the event loop (${longest.shape})`, longest.turnMs, 'ms', '<= 100'),
  ]
}

const rows: Row[] = []
for (const [face, read] of Object.entries(world.reads)) {
  rows.push(
    ...(await rowsFor(`largest answer, ${face}`, shapesOf(9_500_000, secret), (text) => {
      world.answer(text)
      return read()
    })),
  )
}
world.answer('{"id":"a"}')
for (const [face, write] of Object.entries(world.writes))
  rows.push(...(await rowsFor(`body of 1 MB, ${face}`, shapesOf(1_000_000, 'none', inputLimits), write)))
report('work', rows)
await world.close()
