/** A server that people can let clients in to, and a person with a browser. */
import { createHash, randomBytes } from 'node:crypto'
import { openHttpWorld } from '../support/http-world.ts'
import type { HttpWorldOptions } from '../support/http-world.ts'

export const openSignInWorld = async (options: HttpWorldOptions = {}) => {
  const world = await openHttpWorld({ accounts: 'all', oauthServer: 'on', ...options })
  const address = await world.listen()
  world.pack.servedAt(address)
  return { ...world, address }
}
export type SignInWorld = Awaited<ReturnType<typeof openSignInWorld>>

export const redirectUri = 'http://127.0.0.1:7777/callback'

export const pkce = () => {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

const unescaped = (text: string) =>
  text.replace(
    /&(amp|lt|gt|quot|#39);/g,
    (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[name]!,
  )

/** What a page asks a person, read as they would. */
export const formIn = (html: string) => {
  const inputs = [...html.matchAll(/<input[^>]*>/g)].map(([tag]) => {
    const attribute = (name: string) => {
      const [, value] = new RegExp(`\\b${name}="([^"]*)"`).exec(tag) ?? []
      return value === undefined ? undefined : unescaped(value)
    }
    return { name: attribute('name')!, value: attribute('value') ?? '', type: attribute('type') }
  })
  const [, action = ''] = /<form[^>]*action="([^"]*)"/.exec(html) ?? []
  return { action: unescaped(action), inputs }
}

/** A browser: cookies by path, forms as a person fills them in, and no redirect followed by itself. */
export const openBrowser = (address: string) => {
  const cookies = new Map<string, { path: string; pair: string }>()
  const ask = async (path: string, init: RequestInit = {}) => {
    const url = new URL(path, address)
    const sent = [...cookies.values()].filter((cookie) => url.pathname.startsWith(cookie.path)).map(({ pair }) => pair)
    const reply = await fetch(url, {
      redirect: 'manual',
      ...init,
      headers: { ...(sent.length > 0 ? { cookie: sent.join('; ') } : {}), ...init.headers },
    })
    for (const line of reply.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split('; ')
      const cookiePath = attributes.find((part) => part.startsWith('Path='))!.slice(5)
      cookies.set(`${pair.split('=')[0]!} ${cookiePath}`, { path: cookiePath, pair })
    }
    return reply
  }
  const post = (path: string, form: URLSearchParams, headers: Record<string, string> = {}) =>
    ask(path, {
      method: 'POST',
      body: form,
      headers: { origin: new URL(address).origin, 'sec-fetch-site': 'same-origin', ...headers },
    })

  return {
    cookies,
    ask,
    post,
    /** Signs in on the page that asks for it, and comes back to where it was. */
    async signIn(path: string, token: string) {
      const { action, inputs } = formIn(await (await ask(path)).text())
      const form = new URLSearchParams(inputs.map(({ name, value }) => [name, name === 'token' ? token : value]))
      return post(action, form)
    },
    /** Opens the page at the address, signing in where needed. */
    async open(path: string, token: string) {
      let html = await (await ask(path)).text()
      if (html.includes('name="token"')) {
        const reply = await this.signIn(path, token)
        html = await (await ask(reply.headers.get('location')!)).text()
      }
      return { html, ...formIn(html) }
    },
    /** Answers the page: what is ticked stays unless `without` names it. */
    async answer(
      { action, inputs }: { action: string; inputs: { name: string; value: string }[] },
      {
        decision = 'allow',
        without = [],
        credits = '',
      }: { decision?: string; without?: string[]; credits?: string } = {},
    ) {
      const form = new URLSearchParams()
      for (const { name, value } of inputs) {
        if (without.includes(value)) continue
        form.append(name, name === 'credits' ? credits : value)
      }
      form.set('decision', decision)
      return post(action, form)
    },
  }
}
export type Browser = ReturnType<typeof openBrowser>

export const register = async (address: string, metadata: object = {}) => {
  const reply = await fetch(`${address}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Host', redirect_uris: [redirectUri], ...metadata }),
  })
  return { status: reply.status, json: (await reply.json()) as Record<string, any> }
}

export const authorizePath = (client: string, challenge: string, more: Record<string, string | undefined> = {}) => {
  const query = new URLSearchParams()
  const parameters = {
    response_type: 'code',
    client_id: client,
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'state-1',
    ...more,
  }
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value)
  return `/oauth/authorize?${query.toString()}`
}

export const askToken = async (address: string, form: Record<string, string>, headers: Record<string, string> = {}) => {
  const reply = await fetch(`${address}/oauth/token`, { method: 'POST', body: new URLSearchParams(form), headers })
  return { status: reply.status, json: (await reply.json()) as Record<string, any>, headers: reply.headers }
}

type LetIn = {
  token?: string
  scope?: string
  resource?: string
  without?: string[]
  credits?: string
  client?: string
}

/** A client that a person let in, as far as its code. */
export const letIn = async (world: Pick<SignInWorld, 'address' | 'token'>, options: LetIn = {}) => {
  const { address } = world
  const client = options.client ?? ((await register(address)).json['client_id'] as string)
  const { verifier, challenge } = pkce()
  const browser = openBrowser(address)
  const page = await browser.open(
    authorizePath(client, challenge, { scope: options.scope, resource: options.resource }),
    options.token ?? world.token,
  )
  const reply = await browser.answer(page, options)
  const location = new URL(reply.headers.get('location') ?? 'none:')
  return { client, verifier, challenge, browser, page, reply, location, code: location.searchParams.get('code') ?? '' }
}

/** The tokens of a client that a person let in. */
export const signedInClient = async (world: Pick<SignInWorld, 'address' | 'token'>, options: LetIn = {}) => {
  const { client, code, verifier } = await letIn(world, options)
  const { json } = await askToken(world.address, {
    grant_type: 'authorization_code',
    code,
    client_id: client,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  })
  return { client, access: json['access_token'] as string, refresh: json['refresh_token'] as string, json }
}

/** The status of a request for the tools, or for the runs of the API. */
export const statusAt = async (address: string, path: string, token: string) => {
  const reply = await fetch(address + path, {
    ...(path.startsWith('/mcp')
      ? { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }) }
      : {}),
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
  })
  await reply.text()
  return reply.status
}

export const refreshForm = (client: string, refresh: string, more: Record<string, string> = {}) => ({
  grant_type: 'refresh_token',
  refresh_token: refresh,
  client_id: client,
  ...more,
})
