/** The page on which a person works with the boards, and its routes. Its changes go through the control functions. */
import type { FastifyInstance } from 'fastify'
import { isOwnPage, namesThisHost } from '../callers.ts'
import { notThisHost, servePages } from '../page-files.ts'
import { runControl, type Control } from './control.ts'
import type { Card, World } from './records.ts'

const byPosition = (a: { pos: number }, b: { pos: number }): number => a.pos - b.pos

const stateOf = (world: World) => {
  const { boards, lists, cards, labels, members, actions } = world.state
  const shownCard = (card: Card) => ({
    id: card.id,
    name: card.name,
    desc: card.desc,
    due: card.due,
    pos: card.pos,
    idLabels: card.idLabels,
    comments: actions
      .filter(({ type, refs }) => type === 'commentCard' && refs.idCard === card.id)
      .map(({ id, date, data, idMemberCreator }) => ({
        id,
        date,
        text: String(data['text']),
        by: members.get(idMemberCreator)?.fullName ?? '',
      })),
  })
  const cardsOf = (idList: string) =>
    [...cards.values()].filter((card) => card.idList === idList && !card.closed).sort(byPosition)
  const listsOf = (idBoard: string) =>
    [...lists.values()].filter((list) => list.idBoard === idBoard && !list.closed).sort(byPosition)
  return {
    people: [...members.values()].map(({ id, fullName }) => ({ id, name: fullName })),
    boards: [...boards.values()]
      .filter(({ closed }) => !closed)
      .map(({ id, name }) => ({
        id,
        name,
        labels: [...labels.values()].filter(({ idBoard }) => idBoard === id),
        lists: listsOf(id).map((list) => ({ id: list.id, name: list.name, cards: cardsOf(list.id).map(shownCard) })),
      })),
  }
}

type Check = (value: unknown) => boolean
const text: Check = (value) => typeof value === 'string' && value.trim() !== '' && value.length <= 16_384
const maybe =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value)
const flag: Check = (value) => typeof value === 'boolean'
const position: Check = (value) =>
  value === 'top' || value === 'bottom' || (typeof value === 'number' && Number.isFinite(value))
const moment: Check = (value) => value === null || (typeof value === 'string' && !Number.isNaN(Date.parse(value)))

/** The control functions that the page uses, with a check for each of their parameters. */
const writes: Record<string, Record<string, Check>> = {
  createCard: { idList: text, name: text },
  moveCard: { idCard: text, idList: text, pos: maybe(position) },
  comment: { idCard: text, text },
  labelCard: { idCard: text, idLabel: text, on: flag },
  updateCard: { idCard: text, name: maybe(text), due: maybe(moment) },
  archiveCard: { idCard: text },
}

/** What is wrong with the input; undefined when it is valid. */
const faultOf = (name: string, input: unknown): string | undefined => {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return 'the body is not a JSON object'
  const checks: Record<string, Check> = { ...writes[name], by: maybe(text) }
  const foreign = Object.keys(input).find((field) => !Object.hasOwn(checks, field))
  const wrong = Object.keys(checks).find((field) => !checks[field]!((input as Record<string, unknown>)[field]))
  return foreign === undefined
    ? wrong && `"${wrong}" is missing or wrong`
    : `"${foreign}" is none of ${Object.keys(checks).join(', ')}`
}

const parse = (body: unknown): unknown => {
  try {
    return Buffer.isBuffer(body) ? JSON.parse(body.toString('utf8')) : undefined
  } catch {
    return undefined
  }
}

export const addPeoplePage = (app: FastifyInstance, world: World, control: Control): void => {
  servePages(app, { '/': 'board.html', '/sandbox/board.js': 'board.js', '/sandbox/page.css': 'page.css' })
  app.get('/sandbox/state', async (request, reply) =>
    namesThisHost(request)
      ? reply.header('cache-control', 'no-store').send(stateOf(world))
      : reply.code(403).send(notThisHost),
  )
  app.post<{ Params: { name: string } }>('/sandbox/:name', async (request, reply) => {
    if (!isOwnPage(request))
      return reply.code(403).send({ message: 'only the page of this sandbox may change it; programs use /_control' })
    const { name } = request.params
    if (!Object.hasOwn(writes, name)) return reply.code(404).send({ message: `the page has no function "${name}"` })
    const input = parse(request.body)
    const fault = faultOf(name, input)
    if (fault !== undefined) return reply.code(400).send({ message: fault })
    const { status, body } = await runControl(control, name, input)
    return reply.code(status).send(status === 200 ? { done: true } : body)
  })
}
