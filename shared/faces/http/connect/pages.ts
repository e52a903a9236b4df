import type { FailureJson } from '#kit'
import type { ConnectDone, ConnectForm, ConnectLeave, Refusal, SecretField } from '../../../runtime/connections/browser/types.ts'
import { html } from './html.ts'
import type { Html } from './html.ts'

/** Where the pages' files are, and what the script is to do. */
type Frame = { root: string; clearQuery?: boolean }

const page = (title: string, body: Html, { root, clearQuery = false }: Frame): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        <script src="${root}/connect/assets/page.js" ${clearQuery ? html` data-clear="query"` : ''}></script>
        <link rel="stylesheet" href="${root}/connect/assets/page.css" />
        <link rel="icon" href="${root}/connect/assets/icon.svg" type="image/svg+xml" />
      </head>
      <body>
        <main>${body}</main>
      </body>
    </html> `.html

/** What was typed in is wrong, which on this page is not a thing to reconnect. */
const notAccepted = ({ fields }: ConnectForm) =>
  `The provider does not accept this ${fields.map(({ title }) => title).join(' and ')}. Check that each was copied whole, without spaces, and that they belong together.`

/** Settings are the operator's; whoever connects an account can do nothing with their names. The log holds them. */
const forOwner = ({ actor, message }: FailureJson) =>
  actor === 'operator' || /TOOLYARD_|\bwire\.|\/v1\//.test(message)
    ? 'This server is not set up for this account yet, which only those who run it can change. Tell them which account you wanted to connect, and when.'
    : message

const problemNote = (problem: FailureJson | null, message = problem === null ? undefined : forOwner(problem)) =>
  problem &&
  html`<p class="note bad" role="alert">${message}${problem.providerMessage !== undefined && html`<br />The provider said: “${problem.providerMessage}”`}</p>`

const fieldInput = ({ name, title, description, value }: SecretField, isSecret: boolean) =>
  html`<label for="field-${name}">${title}</label>
    <input
      id="field-${name}"
      name="${name}"
      type="${isSecret ? 'password' : 'text'}"
      value="${value}"
      required
      autocomplete="off"
      autocapitalize="off"
      spellcheck="false"
      aria-describedby="hint-${name}"
    />
    <p class="hint" id="hint-${name}">${description}</p>`

const headline = ({ title, reconnects }: Pick<ConnectForm, 'title' | 'reconnects'>) => (reconnects === null ? `Connect ${title}` : `Reconnect “${reconnects}”`)

const heading = (form: ConnectForm) =>
  html`<h1>${headline(form)}</h1>
    <p>${form.purpose}</p>
    <p class="quiet">
      ${form.reconnects === null ? 'For' : `${form.title}, for`} the workspace
      “${form.workspace}”${form.requester !== null && html`, asked for by “${form.requester}”`}.
    </p>`

const footer = html`<footer>What you enter is sealed and goes to this provider only. It is never shown again.</footer>`

const howTo = ({ help }: ConnectForm) => help !== null && html`<p>${help}</p>`

/** For types whose secrets the person has: the fields, as the integration describes them. */
const secretsForm = (form: ConnectForm) =>
  html`${howTo(form)}
    <form method="post">${form.fields.map((field) => fieldInput(field, true))} <button class="button" id="connect">Connect</button></form>`

/** First the key, then the provider's page for a token, then the token. */
const tokenForm = (form: ConnectForm) => {
  const [key, ...others] = form.fields
  if (form.authorizeUrl === null) {
    return html`<h2>1. Your API key</h2>
      <p>It names your app at ${form.title}. With it the next step opens the page that gives you a token.</p>
      <form method="post">${fieldInput(key!, false)}<button class="button">Next</button></form>`
  }
  return html`<h2>1. Get a token</h2>
    <p>Open ${form.title}’s page, choose “Allow” and copy the token it shows.</p>
    <p><a class="button plain" id="authorize" href="${form.authorizeUrl ?? ''}" target="_blank" rel="noopener noreferrer">Open the authorize page</a></p>
    <h2>2. Give it here</h2>
    <p class="note good" id="returned" role="status" hidden>The token has come back. Choose “Connect” to use it.</p>
    <p class="note bad" id="not-allowed" role="alert" hidden>
      The authorize page gave no token: the request was not allowed there. Open it again and choose “Allow”.
    </p>
    <form method="post">${fieldInput(key!, false)}${others.map((field) => fieldInput(field, true))} <button class="button" id="connect">Connect</button></form>`
}

export const formPage = (form: ConnectForm, frame: Frame): string =>
  page(
    form.reconnects === null ? `Connect ${form.title}` : `Reconnect ${form.reconnects}`,
    html`${heading(form)}${problemNote(form.problem, form.problem?.code === 'not_connected' ? notAccepted(form) : undefined)}${form.authorizeUrl === undefined ? secretsForm(form) : tokenForm(form)}
    ${footer}`,
    frame,
  )

/** Before the browser leaves: a link may have been passed on to somebody whose account is not meant. */
export const leavePage = (leave: ConnectLeave, frame: Frame): string =>
  page(
    headline(leave),
    html`<h1>${headline(leave)}</h1>
      <dl>
        <dt>Workspace</dt>
        <dd id="workspace">${leave.workspace}</dd>
        <dt>Asked for by</dt>
        <dd id="requester">${leave.requester ?? 'The platform this server belongs to'}</dd>
        <dt>Account at ${leave.title}</dt>
        <dd id="account">${leave.account ?? 'The one you are signed in with there, or sign in with next'}</dd>
      </dl>
      <p>
        When you allow access on the page of ${leave.title}, agents of this workspace act in the name of that account. If you do not know the workspace, or
        somebody sent you this link, close this window.
      </p>
      <form method="post"><button class="button" id="leave" name="leave" value="yes">Continue to ${leave.title}</button></form>
      <footer>You go on to ${leave.to}. Nothing is connected before you allow it there.</footer>`,
    frame,
  )

const states: Record<string, string> = {
  connected: 'Connected and tested',
  unverified: 'Saved and not used yet; a first step that succeeds proves it',
  disabled: 'Disabled by hand; it is used again when it is enabled',
}

const goOn = (returnTo: string | null, connection?: string) => {
  if (returnTo === null) return html`<p>You can close this window.</p>`
  const [path = '', hash] = returnTo.split('#')
  const query = connection === undefined ? '' : `${path.includes('?') ? '&' : '?'}connection=${encodeURIComponent(connection)}`
  return html`<p><a class="button" id="continue" href="${path}${query}${hash === undefined ? '' : `#${hash}`}">Continue</a></p>`
}

export const donePage = ({ connection, title, workspace, reconnected, returnTo }: ConnectDone, frame: Frame): string => {
  const account = connection.account?.name ?? connection.account?.id
  const isProven = connection.state !== 'unverified'
  return page(
    isProven ? `${title} connected` : `${title}: key saved`,
    html`<p class="mark good">${isProven ? (reconnected ? 'Reconnected' : 'Connected') : 'Key saved'}</p>
      <h1>${account ?? connection.name}</h1>
      <dl>
        <dt>Account at ${title}</dt>
        <dd id="account">${account ?? 'This provider does not say whose key it is'}</dd>
        <dt>Named here</dt>
        <dd id="name">${connection.name}</dd>
        <dt>Workspace</dt>
        <dd>${workspace}</dd>
        <dt>State</dt>
        <dd id="state">${states[connection.state] ?? connection.state}</dd>
      </dl>
      <p>
        Agents of this workspace now act in the name of this account. If it is not the one you meant, have the connection removed and connect again with the
        right one.
      </p>
      ${goOn(returnTo, connection.id)}`,
    frame,
  )
}

type Words = { title: string; what: string; todo: string }

const again = 'Go back to where you started and choose “Connect” again; that makes a new link, good for ten minutes.'

const words: Record<Refusal, Words> = {
  'no-state': {
    title: 'This link is not complete',
    what: 'The provider sent your browser here without the mark that says which request it answers. Nothing was connected.',
    todo: again,
  },
  expired: {
    title: 'This link has been used or has run out',
    what: 'A connect link works once and for ten minutes. Nothing was connected this time.',
    todo: again,
  },
  'foreign-browser': {
    title: 'This link was opened in another browser',
    what: 'Connecting has to end in the browser it began in, so that nobody can finish it for you or make you finish theirs. Nothing was connected.',
    todo: 'Go on in the first browser, with cookies allowed. If you did not begin this yourself, close this window: somebody sent you a link that is not for you. Otherwise choose “Connect” again here.',
  },
  'mixed-up': {
    title: 'This answer belongs to another request',
    what: 'What came back is not the answer to what was asked: it is from another provider, or of another attempt. Nothing was connected.',
    todo: again,
  },
  denied: {
    title: 'Access was not allowed',
    what: 'The request was denied on the provider’s page, so nothing was connected.',
    todo: 'If you meant to allow it, go back to where you started and choose “Connect” again, then “Allow”.',
  },
  'another-account': {
    title: 'That is another account',
    what: 'An account keeps its owner when it is reconnected, so that agents never act for somebody else unseen. Nothing was changed.',
    todo: 'Sign out at the provider and sign in there as the right person, then go back to where you started and choose “Reconnect” again.',
  },
  failed: { title: 'It could not be connected', what: 'Nothing was connected.', todo: again },
}

export const refusedPage = (
  refusal: Refusal,
  { title, failure, returnTo }: { title: string | null; failure: FailureJson | null; returnTo: string | null },
  frame: Frame,
): string => {
  const said = words[refusal]
  return page(
    said.title,
    html`<p class="mark bad">${title ?? 'Connect'}: not connected</p>
      <h1>${said.title}</h1>
      <p>${said.what}</p>
      ${problemNote(failure)}
      <h2>What to do</h2>
      <p id="todo">${said.todo}</p>
      ${returnTo !== null && html`<p><a class="button plain" href="${returnTo}">Back</a></p>`}`,
    frame,
  )
}
