/**
 * A server on PostgreSQL with 10,000 and with 100,000 subscriptions: start, memory, deliveries, starts, and what an
 * hour without a server takes to catch up with: `node test/bench/scale.ts`. Everything shares the processors of one
 * machine.
 */
import { delivery, openSockets } from './deliveries.ts'
import { postgresIsMissing } from '../support/postgres.ts'
import { installPackage } from './installed.ts'
import { openPlace } from './scale-place.ts'
import type { Board, Place } from './scale-place.ts'
import { median, report, row } from './support.ts'
import type { Row } from './support.ts'

const sizes = (process.env['SUBSCRIPTIONS'] ?? '10000,100000').split(',').map(Number)
const boardCount = 200
const width = 128
const rounds = 3
const perRound = { nobody: 3000, starts: 1000 }
/** What happens in an hour, an event a second. */
const missed = 3600
const settleMs = 5_000

type Figures = {
  readyMs: number
  memoryMb: number
  tableMb: number
  nobody: { perSecond: number; cpuMs: number }
  starts: { perSecond: number; cpuMs: number }
  catchUpMs: number
}

const deliver = async (place: Place, boards: Board[], what: keyof typeof perRound) => {
  const sockets = await openSockets(place.port, width)
  const secret = place.sandbox.credentials.appSecret
  const measured: { perSecond: number; cpuMs: number }[] = []
  const count = perRound[what]
  for (let round = 0; round <= rounds; round += 1) {
    const requests = Array.from({ length: count }, (_, n) => {
      const { id, callbackUrl } = boards[n % boards.length]!
      // Of what is not a comment one in ten would be: those go to the rows that start.
      for (;;) {
        const { request } = delivery(id, callbackUrl, secret, ...(what === 'starts' ? (['commentCard'] as const) : []))
        if (what === 'starts' || !request.includes('"type":"commentCard"')) return request
      }
    })
    const before = place.called()
    const { cpuMs } = place.usage()
    const began = performance.now()
    await sockets.sendAll(requests)
    if (what === 'starts') await place.calledTimes(before + count)
    const ms = performance.now() - began
    // The first round warms up.
    if (round > 0) measured.push({ perSecond: (count * 1000) / ms, cpuMs: (place.usage().cpuMs - cpuMs) / count })
  }
  sockets.close()
  return {
    perSecond: median(measured.map(({ perSecond }) => perSecond)),
    cpuMs: median(measured.map(({ cpuMs }) => cpuMs)),
  }
}

/** Milliseconds from the start of a server until it has started everything that happened while none ran. */
const catchUp = async (place: Place, boards: Board[]): Promise<number> => {
  await place.stop()
  for (let n = 0; n < missed; n += 1)
    place.sandbox.control.comment({ idCard: boards[n % boards.length]!.idCard, text: `Comment ${n}` })
  const before = place.called()
  const began = performance.now()
  await place.start()
  await place.calledTimes(before + missed)
  return performance.now() - began
}

const measure = async (size: number, entry: string): Promise<Figures> => {
  const place = await openPlace(entry)
  try {
    await place.start()
    const boards = await place.watchBoards(boardCount)
    await place.stop()
    await place.copySubscriptions(size, boardCount)
    const readyMs = await place.start()
    await new Promise((resolve) => setTimeout(resolve, settleMs))
    const { memoryMb } = place.usage()
    const nobody = await deliver(place, boards, 'nobody')
    const starts = await deliver(place, boards, 'starts')
    const catchUpMs = await catchUp(place, boards)
    return { readyMs, memoryMb, tableMb: (await place.tableBytes()) / 1e6, nobody, starts, catchUpMs }
  } finally {
    await place.close()
  }
}

const rowsOf = (size: number, figures: Figures): Row[] => {
  const name = `${size.toLocaleString('en')} subscriptions on PostgreSQL`
  return [
    row(`${name}: a server until it is ready`, figures.readyMs / 1000, 's'),
    row(`${name}: memory of an idle server`, figures.memoryMb, 'MB'),
    row(`${name}: table with its indexes`, figures.tableMb, 'MB'),
    row(`${name}: deliveries that concern nobody`, figures.nobody.perSecond, 'per second'),
    row(`${name}: CPU of the server for each of them`, figures.nobody.cpuMs * 1000, 'µs'),
    row(`${name}: deliveries that start an agent, until it is called`, figures.starts.perSecond, 'per second'),
    row(`${name}: CPU of the server for each of them, with the start`, figures.starts.cpuMs * 1000, 'µs'),
    row(`${name}: ${missed} events of an hour without a server, until all have started`, figures.catchUpMs / 1000, 's'),
  ]
}

if (postgresIsMissing()) process.exit(0)
const measured: Figures[] = []
const installed = await installPackage()
for (const size of sizes) measured.push(await measure(size, installed.entry))
installed.remove()
const [small, large] = [measured[0]!, measured.at(-1)!]
const span = `${sizes.at(-1)!.toLocaleString('en')} subscriptions / ${sizes[0]!.toLocaleString('en')}`
report('scale', [
  ...sizes.flatMap((size, n) => rowsOf(size, measured[n]!)),
  row(`a server until it is ready, ${span}`, large.readyMs / small.readyMs, 'x', '<= 10'),
  row(`CPU for a delivery that concerns nobody, ${span}`, large.nobody.cpuMs / small.nobody.cpuMs, 'x', '<= 1.1'),
  row(`CPU for a delivery with a start, ${span}`, large.starts.cpuMs / small.starts.cpuMs, 'x', '<= 1.1'),
])
