/**
 * A full step against bare HTTP clients, each in a process of its own, interleaved in one run: `node
 * test/bench/step.ts`.
 */
import { buildAll } from '../../scripts/build.ts'
import { busy, createFigures, warm } from './clients.ts'
import { report, row, startMock } from './support.ts'

await buildAll()
const { origin, stop } = await startMock()
const { compare, compareCards, compareLists, note, ratio, typical } = createFigures(origin)

await compareCards(['undici', 'step'])
await compare(['step', 'fetch', 'ky'], warm, async (client, name) => note(name, 'all', await busy(client, name)), 1)
await compare(
  ['undici', 'step-stored', 'step-keyed'],
  warm,
  async (client, name) => note(name, 'durable', await busy(client, name)),
  7,
)
await compareLists('list-100', ['undici', 'step'])
await compareLists('list-1000', ['undici', 'undici-twice', 'step'])

report('step', [
  row(
    'full Create Card step, CPU at 32 at once, against bare undici request',
    ratio('cpu', 'step', 'undici'),
    'x',
    '<= 1.2',
  ),
  row(
    'full Create Card step, p50 one at a time, against bare undici request',
    ratio('p50', 'step', 'undici'),
    'x',
    '<= 1.2',
  ),
  row(
    'list of 1000 cards, every card checked, CPU against bare undici request',
    ratio('list-1000', 'step', 'undici'),
    'x',
    '<= 1.2',
  ),
  row(
    'the same against bare undici request that also asks whether there are more',
    ratio('list-1000', 'step', 'undici-twice'),
    'x',
  ),
  row(
    'list of 100 cards, every card checked, CPU against bare undici request',
    ratio('list-100', 'step', 'undici'),
    'x',
    '<= 1.15',
  ),
  row('ky, CPU at 32 at once, against the full step', ratio('all', 'ky', 'step'), 'x'),
  row('fetch, CPU at 32 at once, against the full step', ratio('all', 'fetch', 'step'), 'x'),
  row(
    'full step with the embedded store, CPU against bare undici request',
    ratio('durable', 'step-stored', 'undici'),
    'x',
    '<= 1.7',
  ),
  row(
    'full step with the embedded store and an idempotency key, CPU against bare undici request',
    ratio('durable', 'step-keyed', 'undici'),
    'x',
    '<= 2.5',
  ),
  row('CPU of a full step at 32 at once', typical('step', 'cpu') * 1000, 'µs'),
  row('CPU of bare undici request at 32 at once', typical('undici', 'cpu') * 1000, 'µs'),
])
stop()
