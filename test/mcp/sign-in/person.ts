/** A person with a browser, who lets programs in: they sign in where they are asked to, and allow everything. */
import { formIn } from '../../oauth/world.ts'

/** How they sign in: with a token of this server, or by their name at the provider of their team. */
export type SignIn = { token: string } | { name: string }

const maxPages = 30

const openJar = () => {
  const cookies = new Map<string, { host: string; path: string; pair: string }>()
  return {
    for: ({ host, pathname }: URL) =>
      [...cookies.values()]
        .filter((cookie) => cookie.host === host && pathname.startsWith(cookie.path))
        .map(({ pair }) => pair)
        .join('; '),
    keep({ host }: URL, line: string) {
      const [pair = '', ...attributes] = line.split(/; */)
      const [, path = '/'] = attributes.map((text) => /^path=(.*)$/i.exec(text)).find(Boolean) ?? []
      cookies.set(`${host} ${path} ${pair.split('=')[0]}`, { host, path, pair })
    },
  }
}

/** What the person does with a page; undefined: nothing that they know. */
const nextOn = (html: string, at: URL, who: SignIn): { url: URL; form?: URLSearchParams } | undefined => {
  const [link] = /<a[^>]*id="login"[^>]*>/.exec(html) ?? []
  if (link !== undefined && 'name' in who)
    return { url: new URL(/href="([^"]*)"/.exec(link)![1]!.replaceAll('&amp;', '&'), at) }
  const { action, inputs } = formIn(html)
  if (action === '') return undefined
  const typed: Record<string, string> = 'token' in who ? who : { login: who.name, password: 'any' }
  const form = new URLSearchParams(inputs.map(({ name, value }) => [name, typed[name] ?? value]))
  if (form.has('shown')) form.set('decision', 'allow')
  return { url: new URL(action, at), form }
}

/** Opens the address that a program gives; returns the one at the program that the browser is sent to in the end. */
export const letIn = async (start: string, origins: string[], who: SignIn): Promise<URL> => {
  const jar = openJar()
  let next: { url: URL; form?: URLSearchParams } = { url: new URL(start) }
  for (let pages = 0; pages < maxPages; pages += 1) {
    const { url, form } = next
    const cookie = jar.for(url)
    const reply = await fetch(url, {
      redirect: 'manual',
      headers: { ...(cookie === '' ? {} : { cookie }), origin: url.origin, 'sec-fetch-site': 'same-origin' },
      ...(form ? { method: 'POST', body: form } : {}),
    })
    for (const line of reply.headers.getSetCookie()) jar.keep(url, line)
    const html = await reply.text()
    const location = reply.headers.get('location')
    const to = location === null ? nextOn(html, url, who) : { url: new URL(location, url) }
    if (!to || reply.status >= 400) throw new Error(`${url.href}: ${reply.status} ${html.slice(0, 3_000)}`)
    if (!origins.includes(to.url.origin)) return to.url
    next = to
  }
  throw new Error(`more than ${maxPages} pages from ${start}`)
}
