import { setTimeout as wait } from 'node:timers/promises'
import ky from 'ky'
import type { AgentStart } from '../../../runtime/triggers/index.ts'
import { startReceiver } from '../receiver.ts'
import { tellStart } from '../tell-start.ts'
import { broken } from './stage.ts'
import type { Chapter, Stage } from './stage.ts'

type List = { id: string; name: string }
type Board = { id: string; name: string; url: string; lists: List[] }
type Card = { id: string; name: string; idList: string }

const patienceMs = 15_000

const until = async <T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> => {
  const end = performance.now() + patienceMs
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() > end) return broken(`${what} did not come within ${patienceMs / 1000} seconds`)
    await wait(20)
  }
}

/** An agent on this machine with one trigger attached to it. */
const attach = async ({ house, say }: Stage, trigger: string, title: string, config: Record<string, unknown>) => {
  const taken: AgentStart[] = []
  let forged = 0
  const receiver = await startReceiver(
    0,
    (start) => void taken.push(start),
    () => void (forged += 1),
  )
  try {
    const made = await house.pack.subscriptions.create(house.caller, {
      integration: 'work-board',
      trigger,
      config,
      agent: { id: `demo ${trigger}`, url: receiver.url },
    })
    receiver.expect(made.agent.secret!)
    say(`\n  Attach ${title}  (${trigger})\n    → told ${made.delivery === 'webhook' ? 'at once, by webhook' : 'by polling'}; starts go to ${made.agent.url}`)
    const next = async () => {
      const start = await until(`a start of ${title}`, () => (forged > 0 ? broken('a start came that is not signed') : taken.shift()))
      say(`    → ${tellStart(start, title)}, signature good`)
      return start
    }
    const detach = async () => {
      await house.pack.subscriptions.remove(house.caller, made.id)
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

/** The sandbox's own controls: what people do on the pages of the board. */
const people = (board: Board) => {
  const { origin } = new URL(board.url)
  return <T>(what: string, json: object) => ky.post(`${origin}/_control/${what}`, { json, retry: 0 }).json<T>()
}

const tellStory = async (stage: Stage, board: Board, [newCard, cardMoved]: [Attached, Attached]) => {
  const { house, say } = stage
  const [ideas, doing, review] = board.lists as [List, List, List]
  const person = people(board)

  say(`\n  Somebody adds a card to "${ideas.name}"`)
  const card = await person<Card>('createCard', { by: 'odettequill', idList: ideas.id, name: 'Order more tape' })
  if (eventOf(await newCard.next()).card?.id !== card.id) broken('the start is about another card')

  say(`\n  Somebody drags it to "${doing.name}", and the board delivers that three times over`)
  await person('disturb', { how: 'duplicate', copies: 3, times: 1 })
  const before = (await house.pack.triggers.counts()).repeated
  await person('moveCard', { idCard: card.id, idList: doing.id })
  const moved = await cardMoved.next()
  if (eventOf(moved).to?.list?.id !== doing.id) broken('the start names another list')
  const repeated = await until('the repeats', async () => {
    const more = (await house.pack.triggers.counts()).repeated - before
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
    const { items } = await house.pack.events.list(house.caller, { limit: 20 }, { card: card.id })
    return items.find(({ causedByUs, state }) => causedByUs === true && state === 'matched')
  })
  const { starts } = await house.pack.events.get(house.caller, own.id)
  if (starts.length > 0 || cardMoved.waiting.length > 0) broken('what a step did started an agent')
  say('    → the board tells of it too, but what our own runs cause starts nobody: no loop')
}

/** Something happens on the board, and an agent starts: once, signed, and not for what the agent did itself. */
export const triggers: Chapter = {
  title: 'Triggers: the board starts agents',
  async play(stage) {
    const { createHttp } = await import('../../http/index.ts')
    // The board delivers to a server, so this needs one for as long as it lasts.
    const http = await createHttp({ pack: stage.house.pack, version: 'demo' })
    const attached: Attached[] = []
    try {
      await http.listen({ host: '127.0.0.1', port: 0 })
      await stage.house.pack.start()
      const { boards } = await stage.step<{ boards: Board[] }>('Which board?', 'work-board/get-boards', { lists: 'open' }, ({ boards: all }) =>
        (all[0]?.lists.length ?? 0) >= 3 ? `"${all[0]!.name}"` : broken('the board has fewer than three lists'),
      )
      const config = { boards: [boards[0]!.id] }
      for (const [trigger, title] of [
        ['new-card', 'New Card'],
        ['card-moved', 'Card Moved'],
      ] as const)
        attached.push(await attach(stage, trigger, title, config))
      await tellStory(stage, boards[0]!, attached as [Attached, Attached])
    } finally {
      for (const { detach } of attached) await detach()
      await http.close()
    }
  },
}
