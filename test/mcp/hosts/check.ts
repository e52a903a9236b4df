/** What every host has to make possible for its model. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FailureJson } from '#kit'
import { caller } from '../../support/world.ts'
import { withClient } from '../../support/mcp-world.ts'
import { hosts } from './clients.ts'
import type { Host, Seat } from './clients.ts'
import { manyCards, openHostWorld, provocations } from './provoke.ts'
import type { HostWorld } from './provoke.ts'

type Expect = (holds: boolean, otherwise: string) => void
type Given = { world: HostWorld; seat: Seat; expectThat: Expect }
const short = (value: unknown) => JSON.stringify(value)?.slice(0, 400)

const checkList = async ({ world, seat, expectThat }: Given) => {
  const listed = await withClient(world, '2025-11-25', async (client) =>
    (await client.listTools()).tools.map(({ name }) => name),
  )
  const names = await seat.list()
  expectThat(
    names.length > 0 && short(names.toSorted()) === short(listed.toSorted()),
    `lists ${names.length} of ${listed.length} tools`,
  )
  return names.length
}

const checkWork = async ({ world, seat, expectThat }: Given) => {
  const read = (await seat.call('work_board_get_boards', {})).join('\n')
  const boards = world.sandbox.board.control.overview()
  expectThat(
    boards.some(({ closed, name }) => !closed && read.includes(name)),
    `does not show boards: ${short(read)}`,
  )
  const made = (
    await seat.call('work_board_create_card', {
      idList: world.idList,
      name: 'Made by a host',
      desc: 'Line one\nand "two"',
    })
  ).join('\n')
  const cards = world.sandbox.board.control.overview().flatMap(({ lists }) => lists.flatMap((list) => list.cards))
  const card = cards.find(({ name }) => name === 'Made by a host')
  expectThat(card !== undefined && made.includes(card.id), `does not show the card it made: ${short(made)}`)
}

/** The sentences of cause and remedy that a model must read; addresses are left out for it. */
const sentencesOf = ({ message, errors = [] }: FailureJson) =>
  [message, ...errors.map((error) => error.message)]
    .flatMap((text) => text.split(/(?<=[.!?]) /))
    .filter((sentence) => !/https?:/.test(sentence))

const checkFailures = async ({ world, seat, expectThat }: Given) => {
  let seen = 0
  for (const { code, tool, args, prepare } of provocations(world.idList)) {
    prepare?.(world)
    const visible = await seat.call(tool, args).then(
      (parts) => parts.join('\n'),
      (error: unknown) => `(rejected) ${String(error)}`,
    )
    world.clear()
    const failure = world.lastFailure()
    const missing = failure && sentencesOf(failure).filter((sentence) => !visible.includes(sentence))
    if (
      failure?.code === code &&
      visible.includes(`${code}: `) &&
      !visible.startsWith('(rejected)') &&
      missing?.length === 0
    )
      seen += 1
    else
      expectThat(
        false,
        `${code} does not reach the model: ended with ${failure?.code}, lacks ${short(missing)}, shows ${short(visible)}`,
      )
  }
  return seen
}

type Page = { cards?: { id: string }[]; next?: string }

/** Reads all cards as a model would: what is cut is asked for as the notes say, then the next page. */
const checkPages = async ({ world, seat, expectThat }: Given) => {
  const seen = new Set<string>()
  let [calls, more] = [0, { limit: 100 } as Record<string, unknown> | undefined]
  while (more !== undefined && calls < 40) {
    const parts = await seat.call('work_board_get_list_cards', { idList: world.idList, ...more })
    calls += 1
    // A host that joins the parts keeps them apart by lines.
    const page = JSON.parse(parts[0]!.split('\n')[0]!) as Page
    for (const { id } of page.cards ?? []) seen.add(id)
    const from = /\bfrom: (\d+)/.exec(parts.join('\n'))?.[1]
    if (from !== undefined) more = { ...more, from: Number(from) }
    else more = page.next === undefined ? undefined : { limit: 100, cursor: page.next }
  }
  // One was made by the host itself.
  const all = manyCards + 1
  expectThat(seen.size === all && calls > 2, `saw ${seen.size} of ${all} cards in ${calls} calls`)
  return `${seen.size} cards in ${calls} calls`
}

const until = async (holds: () => boolean | Promise<boolean>) => {
  for (let turn = 0; turn < 500; turn += 1) {
    if (await holds()) return true
    await new Promise((done) => setTimeout(done, 20))
  }
  return false
}

const checkCancel = async ({ world, seat, expectThat }: Given, canCancel: boolean) => {
  const { control } = world.sandbox.board
  control.fault({ match: { path: '/1/members/me/boards' }, cut: 'hang' })
  const before = control.requests().length
  const stop = new AbortController()
  const ended = seat.call('work_board_get_boards', {}, stop.signal).then(
    (parts) => parts.join('\n'),
    (error: unknown) => String(error),
  )
  expectThat(
    await until(() => control.requests().length > before),
    'the call to be cancelled did not reach the provider',
  )
  stop.abort(new Error('enough'))
  await ended
  const last = async () => (await world.pack.runs.list(caller, { limit: 1 }, { step: 'get-boards' })).items[0]
  if (canCancel)
    expectThat(
      await until(async () => (await last())?.code === 'cancelled'),
      `a cancelled call goes on: ${short(await last())}`,
    )
  world.clear()
  const again = await seat.call('work_board_get_boards', {})
  expectThat(again.join('').includes('"boards"'), `does not work on after a cancelled call: ${short(again)}`)
}

const checkHost = async (
  { name, cannotCancel, sit }: Host,
  tools: string,
  entry: string,
  expectThat: Expect,
): Promise<void> => {
  const began = performance.now()
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-host-'))
  const world = await openHostWorld()
  let seat: Seat | undefined
  try {
    seat = await sit({ world, tools, entry, folder })
    const context: Given = { world, seat, expectThat: (holds, otherwise) => expectThat(holds, `${name}: ${otherwise}`) }
    const listed = await checkList(context)
    await checkWork(context)
    const pages = await checkPages(context)
    await checkCancel(context, !cannotCancel)
    const seen = await checkFailures(context)
    const all = provocations('').length
    console.log(
      `${name}: ${listed} tools, ${pages}, ${seen} of ${all} failures readable, ${cannotCancel ? 'goes on after it was ended' : 'cancels'} (${((performance.now() - began) / 1000).toFixed(1)} s)`,
    )
  } catch (error) {
    expectThat(false, `${name}: ${error instanceof Error ? error.stack : String(error)}`)
  } finally {
    await seat?.close()
    await world.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** How many at a time: they mostly wait. */
const together = 3

/** `tools`: the folder that the hosts are installed in; `entry`: the command that a host starts. */
export const checkHosts = async (tools: string, entry: string, expectThat: Expect): Promise<void> => {
  const waiting = [...hosts]
  const work = async () => {
    for (let host = waiting.shift(); host !== undefined; host = waiting.shift())
      await checkHost(host, tools, entry, expectThat)
  }
  await Promise.all(Array.from({ length: together }, work))
}
