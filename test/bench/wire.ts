/**
 * The wire's share of a step against bare undici request, and pacing against a sliding window, in one run: `node
 * test/bench/wire.ts`.
 */
import { createFigures } from './clients.ts'
import { neighbourRows } from './neighbour.ts'
import { paceRows } from './pace.ts'
import { report, row, startMock } from './support.ts'
import type { Row } from './support.ts'

/** All rows of the wire. */
export const wireRows = async (): Promise<Row[]> => {
  const { origin, stop } = await startMock()
  const { compareCards, compareLists, ratio, typical } = createFigures(origin)
  await compareCards(['undici', 'exchange'])
  await compareLists('list-100', ['undici', 'exchange'])
  await compareLists('list-1000', ['undici', 'exchange'])
  stop()
  return [
    row(
      'exchange of the wire, CPU at 32 at once, against bare undici request',
      ratio('cpu', 'exchange', 'undici'),
      'x',
      '<= 1.1',
    ),
    row(
      'exchange of the wire, p50 one at a time, against bare undici request',
      ratio('p50', 'exchange', 'undici'),
      'x',
      '<= 1.1',
    ),
    row(
      'exchange of the wire, list of 100 cards, CPU against bare undici request',
      ratio('list-100', 'exchange', 'undici'),
      'x',
    ),
    row(
      'exchange of the wire, list of 1000 cards, CPU against bare undici request',
      ratio('list-1000', 'exchange', 'undici'),
      'x',
      '<= 1.1',
    ),
    row('CPU of an exchange at 32 at once', typical('exchange', 'cpu') * 1000, 'µs'),
    row('CPU of bare undici request at 32 at once', typical('undici', 'cpu') * 1000, 'µs'),
    ...(await paceRows()),
    ...(await neighbourRows()),
  ]
}

if (import.meta.main) report('wire', await wireRows())
