import { setTimeout as wait } from 'node:timers/promises'
import type { AgentStart } from '../runtime/triggers/index.ts'
import { broken } from './stage.ts'
import type { Chapter, Stage } from './stage.ts'

type List = { id: string; name: string }
type Board = { id: string; name: string; url: string; lists: List[] }
type Card = { id: string; name: string; idList: string }

const patienceMs = 15_000

const until = async <T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> => {
  const end = performance.now() + patienceMs
  for (;;) {
    const result = await look()
    if (result !== undefined) return result
    if (performance.now() > end) return broken(`${what} did not come within ${patienceMs / 1000} seconds`)
    await wait(20)
  }
}

/** Attaches one trigger to an agent on this machine. */
const attach = async (
  { parts: { pack, caller, startReceiver, formatStart }, say }: Stage,
  trigger: string,
  title: string,
  config: Record<string, unknown>,
) => {
  const taken: AgentStart[] = []
  let forged = 0
  const receiver = await startReceiver(
    (start) => void taken.push(start),
    () => void (forged += 1),
  )
  try {
    const made = await pack.subscriptions.create(caller, {
      integration: 'work-board',
      trigger,
      config,
      agent: { id: `demo ${trigger}`, url: receiver.url },
    })
    receiver.expect(made.agent.secret!)
    say(
      `\n  Attach ${title}  (${trigger})\n    → delivered ${made.delivery === 'webhook' ? 'instantly, by webhook' : 'by polling'}; starts are sent to ${made.agent.url}`,
    )
    const next = async () => {
      const start = await until(`a start of ${title}`, () =>
        forged > 0 ? broken('a start came that is not signed') : taken.shift(),
      )
      say(`    → ${formatStart(start, title)}, signature valid`)
      return start
    }
    const detach = async () => {
      await pack.subscriptions.remove(caller, made.id)
      await receiver.close()
    }
    return { next, waiting: taken, detach }
  } catch (thrown) {
    await receiver.close()
    throw thrown
  }
}
type Attached = Awaited<ReturnType<typeof attach>>

const eventOf = (start: AgentStart) => start.data.event as { card?: Partial<Card>; to?: { list?: Partial<List> } }

const playStory = async (stage: Stage, board: Board, [newCard, cardMoved]: [Attached, Attached]) => {
  const { parts, say } = stage
  const { pack, caller } = parts
  // Acts as the people who use the board's pages.
  const people = parts.sandbox.board.control
  const [ideas, doing, review] = board.lists as [List, List, List]

  say(`\n  Somebody adds a card to "${ideas.name}"`)
  const card = people.createCard({ by: 'odettequill', idList: ideas.id, name: 'Order more tape' })
  if (eventOf(await newCard.next()).card?.id !== card.id) broken('the start is about another card')

  say(`\n  Somebody drags it to "${doing.name}", and the board delivers that three times over`)
  people.disturb({ how: 'duplicate', copies: 3, times: 1 })
  const before = (await pack.triggers.counts()).repeated
  people.moveCard({ idCard: card.id, idList: doing.id })
  const moved = await cardMoved.next()
  if (eventOf(moved).to?.list?.id !== doing.id) broken('the start names another list')
  const repeated = await until('the repeats', async () => {
    const more = (await pack.triggers.counts()).repeated - before
    return more >= 2 ? more : undefined
  })
  if (cardMoved.waiting.length > 0) broken('one move started the agent twice')
  say(`    → ${repeated} repeats were recognised; one event, one start`)

  await stage.step<Card>(
    `The agent moves it on to "${review.name}" with a step`,
    'work-board/update-card',
    { idCard: card.id, idList: review.id },
    ({ idList }) => (idList === review.id ? 'done' : broken('the card did not move')),
  )
  const own = await until('the event of it', async () => {
    const { items } = await pack.events.list(caller, { limit: 20 }, { subject: card.id })
    return items.find(({ causedByUs, state }) => causedByUs === true && state === 'matched')
  })
  const { starts } = await pack.events.get(caller, own.id)
  if (starts.length > 0 || cardMoved.waiting.length > 0) broken('what a step did started an agent')
  say('    → the board reports this too, but events that our own runs cause start no agent: no loop')
}

/**
 * The chapter about triggers: something happens on the board, and an agent starts: once, signed, and not for the
 * agent's own changes.
 */
export const triggers: Chapter = {
  title: 'Triggers: the board starts agents',
  async play(stage) {
    const server = await stage.parts.listen()
    const attached: Attached[] = []
    try {
      await stage.parts.pack.start()
      const { boards } = await stage.step<{ boards: Board[] }>(
        'Which board?',
        'work-board/get-boards',
        { lists: 'open' },
        ({ boards: all }) =>
          (all[0]?.lists.length ?? 0) >= 3 ? `"${all[0]!.name}"` : broken('the board has fewer than three lists'),
      )
      const config = { boards: [boards[0]!.id] }
      for (const [trigger, title] of [
        ['new-card', 'New Card'],
        ['card-moved', 'Card Moved'],
      ] as const)
        attached.push(await attach(stage, trigger, title, config))
      await playStory(stage, boards[0]!, attached as [Attached, Attached])
    } finally {
      for (const { detach } of attached) await detach()
      await server.close()
    }
  },
}
