import { isNotAllowed } from '#kit'
import { broken } from './stage.ts'
import type { Chapter } from './stage.ts'

type Board = { id: string; name: string; url: string }
type Card = { id: string; name: string; idList: string; url: string; closed: boolean }
type NamedRow = { id: string; name: string }

const quoted = (rows: { name: string }[]) => rows.map(({ name }) => `"${name}"`).join(', ')

/** The chapter about cards on a board: from the list of boards to a refused call. */
export const cards: Chapter = {
  title: 'Cards on a board',
  async play(stage) {
    const { boards } = await stage.step<{ boards: Board[] }>(
      'List my boards',
      'work-board/get-boards',
      {},
      ({ boards: all }) =>
        all.length > 0 ? `${all.length} boards: ${quoted(all)}` : broken('the sandbox has no board'),
    )
    const address = boards[0]!.url
    stage.say(`\n  Somebody pastes the address of "${boards[0]!.name}": ${address}`)
    const lists = await stage.choices('Which lists does it have?', 'work-board/create-card', 'idList', {
      idBoard: address,
    })
    const [from, to] = lists
    if (!from || !to) return broken('the board has fewer than two lists')

    const card = await stage.step<Card>(
      `Create a card in "${from.label}"`,
      'work-board/create-card',
      {
        idBoard: address,
        idList: from.value,
        name: 'Thank the early users',
        desc: 'A short note to each of them.',
        pos: 'top',
      },
      ({ name, idList, url }) =>
        idList === from.value ? `"${name}" at ${url}` : broken('the card is in another list'),
    )
    await stage.step<Card>(
      `Move it to "${to.label}"`,
      'work-board/update-card',
      { idCard: card.url, idList: to.value },
      ({ idList }) => (idList === to.value ? `it is in "${to.label}" now` : broken('the card did not move')),
    )
    await stage.step<{ data?: { text?: string } }>(
      'Comment on it',
      'work-board/add-comment-to-card',
      { idCard: card.id, text: 'Sending these on Friday.' },
      ({ data }) =>
        data?.text === 'Sending these on Friday.' ? `"${data.text}"` : broken('the comment is not what was sent'),
    )
    const checklist = await stage.step<NamedRow>(
      'Add a checklist',
      'work-board/add-checklist',
      { idCard: card.id, name: 'Before sending' },
      ({ name }) => `"${name}"`,
    )
    await stage.step<NamedRow & { state: string }>(
      'Put an item on it',
      'work-board/create-a-checklist-item',
      { idChecklist: checklist.id, name: 'Names spelled right' },
      ({ name, state }) => `"${name}", ${state}`,
    )
    await stage.step<Card>('Archive the card', 'work-board/archive-card', { idCard: card.id }, ({ closed }) =>
      closed ? 'archived' : broken('the card is still open'),
    )
    await stage.step<{ cards: Card[] }>(
      `What is left in "${to.label}"?`,
      'work-board/get-list-cards',
      { idList: to.value, filter: 'open' },
      ({ cards }) =>
        cards.some(({ id }) => id === card.id)
          ? broken('the archived card is still listed')
          : `${cards.length} cards: ${quoted(cards)}`,
    )
    await callsOfOnesOwn(stage, boards[0]!, card)
  },
}

const callsOfOnesOwn = async (stage: Parameters<Chapter['play']>[0], { id }: Board, card: Card) => {
  await stage.step<{ status: number; body: NamedRow }>(
    'Call any endpoint: a new label',
    'work-board/api-call',
    { method: 'POST', path: '/1/labels', body: { name: 'Thanks', color: 'lime', idBoard: id } },
    ({ status, body }) =>
      status === 200
        ? `POST /1/labels answered ${status}: label "${body.name}"`
        : broken(`POST /1/labels answered ${status}`),
  )
  await stage.refused(
    'Call one that would send the board elsewhere',
    'work-board/api-call',
    { method: 'POST', path: '/1/webhooks', body: { idModel: card.id, callbackURL: 'https://elsewhere.example/' } },
    'not_allowed',
  )
  const { items } = await stage.parts.pack.runs.list(stage.parts.caller, { limit: 200 })
  const sent = items.reduce((sum, run) => sum + run.attempts, 0)
  const refused = items.find(({ failure }) => isNotAllowed(failure))
  if (refused?.attempts !== 0) broken('the history does not say that nothing was sent for the refused call')
  stage.say(
    `\n  The history has ${items.length} runs with ${sent} requests to the board; for the refused one nothing was sent.`,
  )
}
