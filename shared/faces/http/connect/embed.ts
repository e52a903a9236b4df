/** Connect pages in a frame or window of the platform: whose pages may show them, and what those are told. */
import { fail } from '#kit'
import type { ConnectPage } from '../../../runtime/connections/browser/types.ts'

/** What a page tells whoever opened or frames it. */
export type Told =
  | { result: 'opened' }
  | { result: 'connected'; connection: string }
  | { result: 'cancelled' | 'failed'; reason: string }

/** `origins`: the only ones whose pages may frame the page, and that are told. */
export type Embed = { origins: readonly string[]; told: Told }

export const toldOf = (page: ConnectPage): Told => {
  if (page.kind === 'done') return { result: 'connected', connection: page.done.connection.id }
  if (page.kind !== 'refused') return { result: 'opened' }
  return { result: page.refusal === 'denied' ? 'cancelled' : 'failed', reason: page.refusal }
}

/** Origins go into a header, so that nothing else may be in them. @throws Failure `invalid_input` */
export const checkEmbedOrigins = (origins: readonly string[]): readonly string[] => {
  const wrong = origins.find(
    // A host may have characters that mean something in a header, such as * and ;.
    (origin) => !/^https?:\/\/([\w.-]+|\[[\da-f:]+\])(:\d+)?$/.test(origin) || new URL(origin).origin !== origin,
  )
  if (wrong !== undefined)
    throw fail('invalid_input', `"embedOrigins" holds "${wrong}". Give origins such as "https://platform.example".`)
  return origins
}

/**
 * The script of `toolyard-connect.js`, which a platform loads from this server or from the package; its types are in
 * `toolyard-connect.d.ts`. Only a message from the window that it opened, and from the origin of the link, counts.
 */
export const connectScript = `/** Opens a connect link in a window, or in a frame within the element \`frame\`. Resolves when it has ended. */
export const connect = (link, { frame, title = 'Connect an account', signal, width = 520, height = 720 } = {}) =>
  new Promise((resolve) => {
    const { origin, href, protocol } = new URL(link)
    if (!/^https?:$/.test(protocol)) throw new TypeError(\`link: "\${href}" is not an http(s) address.\`)
    let target, element, timer
    const end = (outcome) => {
      removeEventListener('message', receive)
      signal?.removeEventListener('abort', cancel)
      clearInterval(timer)
      if (element) element.remove()
      else target?.close()
      resolve(outcome)
    }
    const cancel = () => end({ result: 'cancelled', reason: 'closed' })
    const receive = ({ origin: from, source, data }) => {
      if (from !== origin || source !== target || data?.toolyard !== 'connect') return
      const { result, connection, reason } = data
      if (element) clearInterval(timer)
      if (result === 'connected') end({ result, connection })
      else if (result === 'cancelled' || result === 'failed') end({ result, reason })
    }
    if (signal?.aborted) return cancel()
    addEventListener('message', receive)
    signal?.addEventListener('abort', cancel)
    if (frame) {
      element = document.createElement('iframe')
      element.title = title
      element.style.cssText = 'width:100%;height:100%;border:0'
      element.src = href
      frame.append(element)
      target = element.contentWindow
      // A page that may not be framed here says nothing.
      timer = setTimeout(() => end({ result: 'failed', reason: 'not-shown' }), 15000)
    } else {
      target = open(href, '_blank', \`popup,width=\${width},height=\${height}\`)
      if (!target) return end({ result: 'failed', reason: 'blocked' })
      timer = setInterval(() => target.closed && cancel(), 300)
    }
  })
`
