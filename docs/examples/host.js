// A small platform that embeds toolyard: people connect their accounts and attach an agent, and the platform is notified of problems.
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const { TOOLYARD_URL, TOOLYARD_TOKEN, HOST_PORT = '8800' } = process.env
const here = `http://127.0.0.1:${HOST_PORT}`
/** By person: what to show them. A real host stores these. */
const notes = new Map()
/** Ids of starts and notifications that were processed: each arrives at least once. */
const processed = new Set()
/** Secrets by who signs. */
const secrets = new Map()

const toolyard = async (method, path, body, headers = {}) => {
  const response = await fetch(`${TOOLYARD_URL}${path}`, {
    method,
    headers: { authorization: `Bearer ${TOOLYARD_TOKEN}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const answer = await response.json()
  // `detail` is a sentence with a remedy.
  if (!response.ok) throw new Error(answer.detail)
  return answer
}

/** Standard Webhooks: while a secret is rotated there are two signatures, and one of them matches. */
const isSigned = (secret, headers, body) => {
  const valueOf = (name) => String(headers[`webhook-${name}`] ?? '')
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map(valueOf)
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false
  const expected = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
    .update(`${id}.${timestamp}.${body}`)
    .digest()
  return signatures.split(' ').some((signature) => {
    const claimed = Buffer.from(signature.replace('v1,', ''), 'base64')
    return claimed.length === expected.length && timingSafeEqual(claimed, expected)
  })
}

const escape = (text) => String(text).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** The page of one person. */
const show = async (person) => {
  const query = `person=${encodeURIComponent(person)}`
  const [connections, starts] = await Promise.all([
    toolyard('GET', `/v1/connections?${query}`),
    toolyard('GET', `/v1/starts?${query}`),
  ])
  const button = (action, text) =>
    `<form method="post" action="/people/${encodeURIComponent(person)}/${action}"><button>${text}</button></form>`
  return `<!doctype html><title>${escape(person)}</title>
    <ul>${connections.items.map(({ id, name, state }) => `<li>${escape(name)}: ${state} ${state === 'needs_reconnect' ? button(`connect?connection=${id}`, 'Reconnect') : button(`agent?connection=${id}`, 'Attach the agent')}</li>`).join('')}</ul>
    <p>${escape(notes.get(person) ?? 'All is well.')} ${starts.items.length} agent starts.</p> ${button('connect', 'Connect an account')}`
}

/** A connect link for one person; the browser goes there and comes back to their page. */
const connect = async (person, connection) => {
  const anyAccount = { integrations: ['work-board', 'contact-data'], types: ['key-token', 'api-key'] }
  const returnTo = `${here}/people/${encodeURIComponent(person)}`
  const link = { ...(connection ? { connection } : anyAccount), person, returnTo, expiresInMs: 3_600_000 }
  return (await toolyard('POST', '/v1/connections/authorize', link)).url
}

/** An agent that greets each new card on the person's first board. */
const attach = async (person, connection) => {
  // The browser says which; it must be one of this person.
  const { items } = await toolyard('GET', `/v1/connections?person=${encodeURIComponent(person)}`)
  if (!items.some(({ id }) => id === connection)) throw new Error('This connection belongs to somebody else.')
  const boards = { connection, person, field: 'boards' }
  const { options } = await toolyard('POST', '/v1/triggers/work-board/new-card/options', boards)
  const subscription = {
    integration: 'work-board',
    trigger: 'new-card',
    connection,
    person,
    config: { boards: [options[0].value] },
    agent: { id: 'greeter', url: `${here}/agents/${encodeURIComponent(person)}` },
  }
  const once = { 'idempotency-key': `greeter-${connection}` }
  const { agent } = await toolyard('POST', '/v1/subscriptions', subscription, once)
  if (agent.secret) secrets.set(person, agent.secret)
}

/** The agent acts for the person of the start, and with its id, so that its own comment starts no agent. */
const greet = ({ data: { start, person, connection, event } }) =>
  toolyard(
    'POST',
    '/v1/steps/work-board/add-comment-to-card/run',
    { person, connection, input: { idCard: event.card.id, text: `Welcome, ${event.card.name}!` } },
    { 'start-id': start, 'idempotency-key': start },
  )

const sentences = {
  'connection.created': 'Your account is connected.',
  'connection.needs_reconnect': 'Your account must be connected again.',
}
const hear = async ({ type, data }) => {
  const sentence = sentences[type] ?? `Something needs attention: ${type}.`
  if (data.person) notes.set(data.person, sentence)
}

/** A signed request: answered 2xx once it is processed; otherwise toolyard repeats it. */
const take = async (request, body, secret, work) => {
  if (secret === undefined || !isSigned(secret, request.headers, body)) return 401
  const id = request.headers['webhook-id']
  if (!processed.has(id)) await work(JSON.parse(body))
  processed.add(id)
  return 204
}

const answer = async (request, body) => {
  const { pathname, searchParams } = new URL(request.url, here)
  const [, room, name = '', verb] = pathname.split('/').map(decodeURIComponent)
  if (room === 'notifications') return { status: await take(request, body, secrets.get('toolyard'), hear) }
  if (room === 'agents') return { status: await take(request, body, secrets.get(name), greet) }
  if (room !== 'people' || name === '') return { status: 404 }
  // A real host takes the person from their session, and a form of its own alone.
  const connection = searchParams.get('connection')
  if (request.method === 'GET') return { status: 200, html: await show(name) }
  if (verb === 'connect') return { status: 303, location: await connect(name, connection) }
  await attach(name, connection)
  return { status: 303, location: `/people/${encodeURIComponent(name)}` }
}

const showError = (error) => ({ status: 502, html: escape(error.message) })

const server = createServer((request, response) => {
  const parts = []
  request
    .on('data', (part) => parts.push(part))
    .on('end', async () => {
      const body = Buffer.concat(parts).toString('utf8')
      const { status, html = '', location } = await answer(request, body).catch(showError)
      const headers = { 'content-type': 'text/html; charset=utf-8', ...(location ? { location } : {}) }
      response.writeHead(status, headers).end(html)
    })
})
server.listen(Number(HOST_PORT), '127.0.0.1', async () => {
  const bytes = Buffer.from(randomUUID() + randomUUID())
  const secret = `whsec_${bytes.toString('base64').slice(0, 64)}`
  await toolyard('PUT', '/v1/admin/notifications', { url: `${here}/notifications`, secret })
  secrets.set('toolyard', secret)
  console.log(`The host listens on ${here}`)
})
