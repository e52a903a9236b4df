import type { LoginRefusal } from '../../../runtime/admin/login.ts'
import type { Brand } from '../../../api/resources/brand.ts'
import { html } from '../connect/html.ts'
import { page } from '../connect/pages.ts'

/** `away`: the provider does not answer; `busy`: too many wrong answers came from this address. */
export type Refusal = LoginRefusal | 'away' | 'busy'

const texts: Record<Refusal, { title: string; what: string }> = {
  lost: {
    title: 'This sign-in was not started here',
    what: 'Signing in must end in the browser and at the address where it started, within ten minutes, and with the newest attempt. If you did not start it yourself, close this window.',
  },
  used: {
    title: 'This sign-in was used already or has expired',
    what: 'The answer of the provider is valid once and for a short time. Sign in again.',
  },
  denied: {
    title: 'The provider did not sign you in',
    what: 'It sent you back without a permission: you cancelled, or your account may not use this application.',
  },
  'not-accepted': {
    title: 'Your account may not sign in here',
    what: 'The provider knows you, but this server is set for other accounts. If you have several, sign out at the provider and choose another one; otherwise ask the operator of this server, whose log says why.',
  },
  failed: {
    title: 'The provider’s answer could not be used',
    what: 'Nobody was signed in. Try it again; if it fails again, ask the operator of this server, whose log says why.',
  },
  away: {
    title: 'The provider does not answer',
    what: 'Nobody can sign in with it now. Try it again in a moment.',
  },
  busy: {
    title: 'Too many sign-ins from your address failed',
    what: 'Wait a minute, then sign in again.',
  },
}

/** `again`: where to try once more; `root`: the path of this server, without a trailing "/". */
export const refusedPage = (
  why: Refusal,
  { name, again, root, brand }: { name: string; again: string; root: string; brand: Brand },
): string => {
  const { title, what } = texts[why]
  return page(
    title,
    html`<p class="mark bad">Not signed in</p>
      <h1>${title}</h1>
      <p id="reason">${what}</p>
      <p><a class="button" id="again" href="${again}">Sign in with ${name}</a></p>
      <p><a href="${root}/console/">Other ways to sign in</a></p>`,
    { root, clearQuery: true, brand },
  )
}
