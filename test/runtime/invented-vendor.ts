import type { IncomingMessage, ServerResponse } from 'node:http'
import { startProvider } from '../support/provider.ts'

/**
 * What the made-up document of "Quandary" says, played strictly: an unexpected name is refused, and only what it names
 * is found.
 */
export type Vendor = Awaited<ReturnType<typeof startVendor>>

type Tree = Record<string, any>
type Asked = { method: string; path: string; query: Record<string, string>; body: Tree }

export const key = 'quandary-key-77f1'

export const firms = [
  { key: 'F1', title: 'Wattle & Co', host: 'wattle.example', trade: 'C', staff: { from: 11, to: 50 } },
  { key: 'F2', title: 'Kowhai Group', host: 'kowhai.example', trade: 'C', staff: { from: 51, to: 200 } },
  { key: 'F3', title: 'Banksia Bank', host: 'banksia.example', trade: 'K', staff: { from: 10_001 } },
]
export const people = Array.from({ length: 7 }, (_, index) => ({
  key: `P${index}`,
  given: ['Aroha', 'Gwen', 'Tane', 'Ruby', 'Noor', 'Hemi', 'Isla'][index]!,
  family: 'Field',
  work_mail: `p${index}@wattle.example`,
  private_mail: `p${index}@freemail.example`,
  profile: `https://www.linkedin.com/in/field-${index}`,
  firm_key: index < 5 ? 'F1' : 'F2',
  post: index % 2 === 0 ? 'Sales manager' : 'Buyer',
  role: index % 2 === 0 ? 31 : 44,
  withheld: index === 6,
  mobile: index === 1 ? undefined : `+61 2 5550 000${index}`,
}))
const roles = [
  { no: 31, name: 'Decision maker' },
  { no: 44, name: 'Procurement' },
]

class Refusal extends Error {
  readonly status: number
  readonly body: Tree
  constructor(status: number, body: Tree) {
    super('refused')
    this.status = status
    this.body = body
  }
}
const refuse = (status: number, kind: string, say = '') => new Refusal(status, { fault: { kind, say } })

const exactly = (value: unknown, names: Record<string, 'must' | 'may'>, where: string): Tree => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refuse(422, 'malformed', `${where} is no object`)
  const stray = Object.keys(value).find((name) => !(name in names))
  if (stray !== undefined) throw refuse(422, 'malformed', `${where}.${stray} is not expected`)
  const lacking = Object.keys(names).find((name) => names[name] === 'must' && !(name in value))
  if (lacking !== undefined) throw refuse(422, 'malformed', `${where}.${lacking} is missing`)
  return value
}
const must = (holds: boolean, say: string) => {
  if (!holds) throw refuse(422, 'malformed', say)
}

const ways = [['work_mail'], ['private_mail'], ['profile'], ['given', 'family', 'employer']]
const personBy = (who: Tree, where: string) => {
  exactly(
    who,
    { work_mail: 'may', private_mail: 'may', profile: 'may', given: 'may', family: 'may', employer: 'may' },
    where,
  )
  const fieldNames = Object.keys(who).toSorted().join()
  must(
    ways.some((way) => way.toSorted().join() === fieldNames),
    `${where} identifies nobody`,
  )
  return people.find((person) =>
    Object.entries(who).every(
      ([name, value]) =>
        (name === 'employer' ? firms.find((firm) => firm.key === person.firm_key)?.title : (person as Tree)[name]) ===
        value,
    ),
  )
}

export const startVendor = async () => {
  const account = { spent: 0, slowDowns: 0 }
  const jobs = new Map<string, Tree>()
  const charge = (credits: number) => {
    account.spent += credits
    return credits
  }

  const cardOf = (
    { role: _, withheld: __, firm_key: firm, work_mail: mail, mobile, ...card }: (typeof people)[number],
    include: Tree,
  ) => ({
    ...card,
    firm: { name: firms.find((candidate) => candidate.key === firm)?.title },
    ...(include['include_mail'] ? { mails: [{ at: mail, grade: 'A' }] } : {}),
    ...(include['include_phone'] && mobile ? { lines: [{ no: mobile, quiet: true }] } : {}),
  })
  const answerFor = (who: Tree, include: Tree, where: string) => {
    const person = personBy(who, where)
    if (!person) return { entry: { state: 'blank' }, paid: 0 }
    if (person.withheld) return { entry: { state: 'withheld' }, paid: 0 }
    const paid = charge((include['include_mail'] ? 1 : 0) + (include['include_phone'] && person.mobile ? 4 : 0))
    return { entry: { state: 'hit', card: cardOf(person, include) }, paid }
  }
  const include = { protocol: 'must', include_mail: 'may', include_phone: 'may' } as const

  const routes: Record<string, (request: Asked) => [status: number, body: Tree]> = {
    'POST /api/people/lookup': ({ body }) => {
      const { ask, protocol } = exactly(body, { ...include, ask: 'must' }, 'body')
      must(protocol === 7, 'protocol is 7')
      const [subject, ...more] = exactly(ask, { subjects: 'must' }, 'ask')['subjects'] as Tree[]
      must(more.length === 0 && subject?.['origin'] === 'crm', 'one subject of origin crm')
      const { origin: _, ...who } = subject!
      const { entry, paid } = answerFor(who, body, 'ask.subjects[0]')
      return [200, { answers: [entry], paid }]
    },
    'PUT /api/people/batch': ({ body }) => {
      const { batch, protocol } = exactly(body, { ...include, batch: 'must' }, 'body')
      must(protocol === 7, 'protocol is 7')
      const entries = exactly(batch, { entries: 'must' }, 'batch')['entries'] as Tree[]
      must(entries.length <= 3, 'at most 3 entries')
      let paid = 0
      const answered = entries.map((entry) => {
        const { who, tag, origin } = exactly(entry, { who: 'must', tag: 'must', origin: 'must' }, 'entry')
        must(origin === 'crm', 'origin is crm')
        const personAnswer = answerFor(who, body, 'entry.who')
        paid += personAnswer.paid
        return { echo: { of: exactly(tag, { ref: 'must' }, 'tag')['ref'] }, ...personAnswer.entry }
      })
      return [200, { entries: answered.toReversed(), paid }]
    },
    'POST /api/people/open': ({ body }) => {
      const { keys, ticket, protocol } = exactly(body, { ...include, keys: 'must', ticket: 'must' }, 'body')
      must(protocol === 7 && (ticket as string).startsWith('t-'), 'protocol is 7, ticket that of a search')
      must(
        Array.isArray(keys) && keys.length <= 2 && keys.every((personKey) => typeof personKey === 'string'),
        'at most 2 keys, as texts',
      )
      let paid = 0
      const opened = (keys as string[]).map((personKey) => {
        const person = people.find((other) => other.key === personKey)
        const { entry, paid: each } = person
          ? answerFor({ profile: person.profile }, body, 'keys')
          : { entry: { state: 'blank' }, paid: 0 }
        paid += each
        return { of: personKey, ...entry }
      })
      return [200, { opened: opened.toReversed(), paid }]
    },
    'GET /api/me': () => [
      200,
      { me: { bought: 100, spent: account.spent, left: 100 - account.spent }, per_minute: 60 },
    ],
    'POST /api/people/find': ({ body }) => {
      const { criteria, page } = exactly(body, { criteria: 'must', page: 'must' }, 'body')
      const {
        titles,
        firm_key: firm,
        role_ids: roleIds,
      } = exactly(criteria, { titles: 'may', firm_key: 'must', role_ids: 'may', only: 'must' }, 'criteria')
      const { no, per } = exactly(page, { no: 'must', per: 'must' }, 'page')
      must(
        typeof no === 'string' && typeof per === 'string' && Number(no) >= 1 && Number(per) >= 2,
        'page.no from 1, page.per from 2, as texts',
      )
      must(criteria.only?.living === true, 'criteria.only.living is true')
      const parts = (titles ?? []).map(
        (title: Tree) => exactly(title, { contains: 'must' }, 'titles')['contains'] as string,
      )
      const ids = (roleIds ?? []).map((role: Tree) => exactly(role, { id: 'must' }, 'role_ids')['id'] as number)
      must(
        ids.every((id: unknown) => typeof id === 'number'),
        'role ids are numbers',
      )
      const hits = people.filter(
        (person) =>
          person.firm_key === firm &&
          parts.every((part: string) => person.post.toLowerCase().includes(part.toLowerCase())) &&
          (ids.length === 0 || ids.includes(person.role)),
      )
      const rows = hits.slice((Number(no) - 1) * Number(per), Number(no) * Number(per))
      charge(Math.ceil(rows.length / 2))
      const job = `j${jobs.size}`
      jobs.set(job, {
        state: 'done',
        hits: String(hits.length),
        rows: rows.map(({ key: id, given, family, post, firm_key: at }) => ({ key: id, given, family, post, at })),
        firms: Object.fromEntries(firms.map(({ key: id, title, host }) => [id, { name: title, host }])),
        ticket: `t-${job}`,
        left: 1,
      })
      return [202, { state: 'working', job }]
    },
    'GET /api/jobs': ({ query }) => {
      const job = jobs.get(query['job']!)
      if (!job) throw refuse(404, 'no-such-job')
      const { left, ...done } = job
      job['left'] = left - 1
      return left > 0 ? [200, { state: 'working' }] : [200, done]
    },
    'GET /api/lists/roles': () => [200, { data: { roles } }],
    'GET /firms': ({ query }) => {
      exactly(query, { host: 'may', title: 'may', region: 'must' }, 'query')
      must(query['region'] === 'anz', 'region is anz')
      const firm = firms.find(({ host, title }) => host === query['host'] || title === query['title'])
      if (!firm) throw new Refusal(404, { problem: 'unknown-firm' })
      charge(2)
      return [200, { firm }]
    },
    'POST /firms/find': ({ body }) => {
      const { trade, staff, title, first, after } = exactly(
        body,
        { trade: 'may', staff: 'may', title: 'may', first: 'must', after: 'may' },
        'body',
      )
      if (staff) exactly(staff, { from: 'must', to: 'may' }, 'staff')
      charge(1)
      const hits = firms.filter(
        (firm) =>
          (trade === undefined || firm.trade === trade) &&
          (title === undefined || firm.title.includes(title as string)) &&
          (staff === undefined || (firm.staff.from === staff.from && firm.staff.to === staff.to)),
      )
      const start = after === undefined ? 0 : hits.findIndex((firm) => firm.key === after) + 1
      const shown = hits.slice(start, start + (first as number))
      return [200, { list: shown, more: start + shown.length < hits.length ? shown.at(-1)!.key : null }]
    },
  }

  const answer = (request: IncomingMessage, response: ServerResponse, body: string) => {
    const send = (status: number, value: Tree) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    const url = new URL(request.url!, 'http://vendor')
    const route = routes[`${request.method} ${url.pathname}`]
    try {
      if (request.headers['x-quandary-pass'] !== `Pass ${key}`) throw refuse(400, 'who-are-you')
      if (!route) throw refuse(404, 'no-such-page')
      if (account.slowDowns > 0) {
        account.slowDowns -= 1
        throw new Refusal(200, { fault: { kind: 'slow-down', say: 'Come back in 1 seconds.' } })
      }
      send(
        ...route({
          method: request.method!,
          path: url.pathname,
          query: Object.fromEntries(url.searchParams),
          body: body === '' ? {} : (JSON.parse(body) as Tree),
        }),
      )
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown
      send(thrown.status, thrown.body)
    }
  }
  const [main, ofFirms] = [await startProvider(answer), await startProvider(answer)]
  return {
    origins: [main.origin, ofFirms.origin],
    address: `${main.origin}/api`,
    firmsAddress: ofFirms.origin,
    account,
    seen: () => [...main.seen, ...ofFirms.seen],
    close: () => Promise.all([main.close(), ofFirms.close()]),
  }
}
