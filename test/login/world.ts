/** A served pack whose people sign in at an OpenID provider, and browsers that do. */
import type { PackOptions } from '../../shared/pack.ts'
import { createHttp } from '../../shared/faces/http/index.ts'
import { movableClock } from '../support/clock.ts'
import { createCloser } from '../support/closing.ts'
import { openOAuthWorld, serve } from '../support/oauth-world.ts'
import { clientOf, startOpenIdProvider } from './openid-provider.ts'

type Login = NonNullable<PackOptions['login']>

export const openLoginWorld = async (login: Partial<Login> = {}, options: PackOptions = {}) => {
  const { close, add } = createCloser()
  const provider = await startOpenIdProvider()
  add(provider.close)
  const clock = movableClock()
  const world = await openOAuthWorld({
    isServed: true,
    clock,
    egress: { ownOrigins: [provider.origin] },
    login: {
      issuer: provider.origin,
      name: 'Example',
      ...clientOf,
      domains: ['example.org'],
      firstUse: { people: true },
      ...login,
    },
    ...options,
  })
  add(world.close)
  const server = await serve(world)
  add(server.close)
  return { ...world, provider, clock, origin: server.origin, close }
}
export type LoginWorld = Awaited<ReturnType<typeof openLoginWorld>>

export type Page = { status: number; location: string | null; text: string; cookies: string[] }

/** A browser: it keeps cookies by host and path, and follows no redirect by itself. */
export const openBrowser = () => {
  const jar = new Map<string, { host: string; path: string; name: string; value: string }>()
  const keep = (host: string, line: string) => {
    const [pair = '', ...attributes] = line.split('; ')
    const [name = '', value = ''] = pair.split('=')
    const path = attributes.find((text) => text.startsWith('Path='))!.slice('Path='.length)
    const key = `${host} ${path} ${name}`
    if (attributes.includes('Max-Age=0')) jar.delete(key)
    else jar.set(key, { host, path, name, value })
  }
  const cookiesFor = ({ host, pathname }: URL) =>
    [...jar.values()]
      .filter((row) => row.host === host && (row.path === '/' || `${pathname}/`.startsWith(`${row.path}/`)))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')
  const open = async (address: string, init: RequestInit = {}): Promise<Page> => {
    const url = new URL(address)
    const cookie = cookiesFor(url)
    const reply = await fetch(url, {
      redirect: 'manual',
      ...init,
      headers: { ...(cookie === '' ? {} : { cookie }), ...(init.headers as Record<string, string>) },
    })
    for (const line of reply.headers.getSetCookie()) keep(url.host, line)
    const location = reply.headers.get('location')
    return {
      status: reply.status,
      location: location === null ? null : new URL(location, url).href,
      text: await reply.text(),
      cookies: reply.headers.getSetCookie(),
    }
  }
  return {
    open,
    jar,
    /** Follows redirects to the provider and back; returns the callback's answer. */
    async signIn(origin: string, next?: string): Promise<Page> {
      const left = await open(`${origin}/login${next === undefined ? '' : `?next=${encodeURIComponent(next)}`}`)
      if (left.status !== 303) return left
      const back = await open(left.location!)
      return open(back.location!)
    },
    /** Who the API says is signed in. */
    async session(origin: string) {
      const { status, text } = await open(`${origin}/v1/session`, { headers: { 'sec-fetch-site': 'same-origin' } })
      // oxlint-disable-next-line typescript/no-explicit-any
      return { status, json: JSON.parse(text) as any }
    },
  }
}

export const anotherNode = async ({ pack, log }: Pick<LoginWorld, 'pack' | 'log'>, publicUrl: string) => {
  const http = await createHttp({ pack, version: '0', log, publicUrl })
  await http.listen({ host: '127.0.0.1', port: 0 })
  return http
}
