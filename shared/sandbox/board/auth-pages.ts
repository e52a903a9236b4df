/** The pages and endpoints through which an account is connected. */
import { authorizePage, decideToken, htmlReply } from './consent.ts'
import { toReply, type Incoming, type Reply, type Server } from './dispatch.ts'
import type { Hooks } from './hooks.ts'
import {
  authorizeRequestToken,
  decideRequestToken,
  giveAccessToken,
  giveRequestToken,
  type SignedRequest,
} from './oauth1.ts'
import { authorizeClient, decideClient, giveTokens } from './oauth2.ts'
import { escapeHtml } from './pages.ts'
import type { World } from './records.ts'
import { answerOf, refuse } from './refusals.ts'

const header = (incoming: Incoming, name: string): string => {
  const value = incoming.headers[name]
  return (Array.isArray(value) ? value[0] : value) ?? ''
}
const formOf = (incoming: Incoming): URLSearchParams =>
  new URLSearchParams(
    header(incoming, 'content-type').startsWith('application/x-www-form-urlencoded')
      ? new TextDecoder().decode(incoming.body)
      : '',
  )

/** Each consent allows a single decision, and only from a form of this site. */
const decide = (world: World, incoming: Incoming): Reply => {
  const origin = header(incoming, 'origin')
  if (origin !== '' && origin !== `http://${header(incoming, 'host')}`) return refuse(403, 'the form is not ours')
  const form = formOf(incoming)
  const consent = world.state.consents.get(form.get('consent') ?? '') ?? refuse(400, 'nothing to decide')
  const decision = form.get('decision')
  if (decision !== 'allow' && decision !== 'deny') return refuse(400, 'invalid value for decision')
  const chosen = form.get('member')
  const member = chosen === null ? [...world.state.members.values()][0] : world.state.members.get(chosen)
  if (!member) return refuse(400, 'invalid value for member')
  world.state.consents.delete(consent.id)
  const by = decision === 'allow' ? member : null
  if (consent.kind === 'token') return decideToken(world, consent, by)
  return consent.kind === 'oauth1' ? decideRequestToken(world, consent, by) : decideClient(world, consent, by)
}

type Handler = (incoming: Incoming, query: URLSearchParams, path: string) => Reply

export const authHandlers = (server: Server, hooks: Hooks): Record<string, Handler> => {
  const { world } = server
  const signed = (incoming: Incoming, query: URLSearchParams, path: string): SignedRequest => ({
    method: incoming.method,
    host: header(incoming, 'host'),
    path,
    query,
    form: formOf(incoming),
    authorization: header(incoming, 'authorization'),
  })
  const tokens: Handler = (incoming) =>
    giveTokens(world, header(incoming, 'content-type'), incoming.body, hooks.settings.surviveRefresh)
  return {
    'GET /1/authorize': (_, query) => authorizePage(world, query),
    'GET /1/OAuthAuthorizeToken': (_, query) => authorizeRequestToken(world, query),
    'GET /1/OAuthGetRequestToken': (...request) => giveRequestToken(world, signed(...request)),
    'POST /1/OAuthGetRequestToken': (...request) => giveRequestToken(world, signed(...request)),
    'GET /1/OAuthGetAccessToken': (...request) => giveAccessToken(world, signed(...request)),
    'POST /1/OAuthGetAccessToken': (...request) => giveAccessToken(world, signed(...request)),
    'GET /authorize': (_, query) => authorizeClient(world, query),
    // The documents name two addresses for the token endpoint.
    'POST /oauth/token': tokens,
    'POST /authorize/oauth/token': tokens,
    'POST /consent': (incoming) => decide(world, incoming),
  }
}

/** Refusals of pages are HTML; those of the other addresses are text. */
export const runHandler = (handler: Handler, name: string, incoming: Incoming): Reply => {
  const [path = '', search = ''] = incoming.url.split(/\?(.*)/s)
  try {
    return handler(incoming, new URLSearchParams(search), path)
  } catch (error) {
    const refused = answerOf(error)
    if (!refused) throw error
    const onPage = name === 'GET /1/authorize' || name === 'GET /1/OAuthAuthorizeToken' || name === 'POST /consent'
    return onPage && typeof refused.body === 'string'
      ? htmlReply(refused.status, 'This does not work', `<p>${escapeHtml(refused.body)}</p>`)
      : toReply(refused)
  }
}
