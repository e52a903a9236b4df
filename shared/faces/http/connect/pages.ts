import { needsReconnect } from '#kit'
import type { FailureJson } from '#kit'
import type {
  ConnectChoices,
  ConnectResult,
  ConnectForm,
  ConnectLeave,
  Refusal,
  SecretField,
} from '../../../runtime/connections/browser/types.ts'
import type { Brand } from '../../../api/resources/brand.ts'
import { profileField } from '../../../pack.ts'
import type { Embed } from './embed.ts'
import { html } from './html.ts'
import type { Html } from './html.ts'
import { renderPage } from './page.ts'

/** Where the assets are, whether the script clears the query, and whom it tells what. */
type Frame = { root: string; clearQuery?: boolean; brand?: Brand | undefined; embed?: Embed | undefined }

const embedData = ({ origins, told }: Embed) =>
  html` data-to="${origins.join(' ')}" data-tell="${JSON.stringify(told)}"`

export const page = (title: string, body: Html, { root, clearQuery = false, brand, embed }: Frame): string => {
  const data = [clearQuery && html` data-clear="query"`, embed && embedData(embed)]
  return renderPage(title, body, {
    root,
    brand,
    script: html`<script src="${root}/connect/assets/page.js" ${data}></script>`,
  })
}

/** The message for wrong secrets: on this page the remedy is to correct them, not to reconnect. */
const notAccepted = ({ fields }: ConnectForm) =>
  `The provider does not accept this ${fields.map(({ title }) => title).join(' and ')}. Check that each was copied completely, without spaces, and that they belong together.`

/** Account owners cannot change settings, so their names are not shown here. They are in the log. */
const forOwner = ({ actor, message }: FailureJson) =>
  actor === 'operator' || /TOOLYARD_|\bwire\.|\/v1\//.test(message)
    ? 'This server is not configured for this account yet. Ask its operator, and say which account you wanted to connect, and when.'
    : message

const problemNote = (problem: FailureJson | null, message = problem === null ? undefined : forOwner(problem)) =>
  problem &&
  html`<p class="note bad" role="alert">
    ${message}${problem.providerMessage !== undefined && html`<br />The provider said: “${problem.providerMessage}”`}
  </p>`

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

const headline = ({ title, reconnects }: Pick<ConnectForm, 'title' | 'reconnects'>) =>
  reconnects === null ? `Connect ${title}` : `Reconnect “${reconnects}”`

const heading = (form: ConnectForm) =>
  html`<h1>${headline(form)}</h1>
    <p>${form.purpose}</p>
    <p class="quiet">
      ${form.reconnects === null ? 'For' : `${form.title}, for`} the workspace
      “${form.workspace}”${form.requester !== null && html`, requested by “${form.requester}”`}.
    </p>`

const footer = html`<footer>
  What you enter is encrypted and sent to this provider only. It is never shown again.
</footer>`

const howTo = ({ help }: ConnectForm) => help !== null && html`<p>${help}</p>`

/** Asks which provider the key is for, if this server knows several. */
const profileChoice = ({ profiles }: ConnectForm) =>
  profiles.length > 0 &&
  html`<label for="profile">Provider</label>
    <select id="profile" name="${profileField}" required aria-describedby="hint-profile">
      ${profiles.every(({ isChosen }) => !isChosen) && html`<option value="" disabled selected>Choose…</option>`}
      ${profiles.map(({ name, title, isChosen }) => html`<option value="${name}" ${isChosen && html` selected`}>${title}</option>`)}
    </select>
    <p class="hint" id="hint-profile">
      The provider whose key this is, and the version of its API. The key is sent there only.
    </p>`

/** The form for connection types whose secrets the person already has. */
const secretsForm = (form: ConnectForm) =>
  html`${howTo(form)}
    <form method="post">
      ${profileChoice(form)}${form.fields.map((field) => fieldInput(field, true))}
      <button class="button" id="connect">Connect</button>
    </form>`

/** The form for a key and a token: first the key, then the provider's page that shows a token, then the token. */
const tokenForm = (form: ConnectForm) => {
  const [key, ...otherFields] = form.fields
  if (form.authorizeUrl === null) {
    return html`<h2>1. Your API key</h2>
      <p>It identifies your app at ${form.title}. The next step uses it to open the page that gives you a token.</p>
      <form method="post">${fieldInput(key!, false)}<button class="button">Next</button></form>`
  }
  return html`<h2>1. Get a token</h2>
    <p>Open ${form.title}’s page, choose “Allow” and copy the token it shows.</p>
    <p>
      <a class="button plain" id="authorize" href="${form.authorizeUrl ?? ''}" target="_blank" rel="noopener noreferrer"
        >Open the authorize page</a
      >
    </p>
    <h2>2. Enter the token</h2>
    <p class="note good" id="returned" role="status" hidden>The token was returned. Choose “Connect” to use it.</p>
    <p class="note bad" id="not-allowed" role="alert" hidden>
      The authorize page returned no token because access was not allowed. Open it again and choose “Allow”.
    </p>
    <form method="post">
      ${fieldInput(key!, false)}${otherFields.map((field) => fieldInput(field, true))}
      <button class="button" id="connect">Connect</button>
    </form>`
}

export const formPage = (form: ConnectForm, frame: Frame): string =>
  page(
    form.reconnects === null ? `Connect ${form.title}` : `Reconnect ${form.reconnects}`,
    html`${heading(form)}${problemNote(form.problem, needsReconnect(form.problem) ? notAccepted(form) : undefined)}${form.authorizeUrl === undefined ? secretsForm(form) : tokenForm(form)}
    ${footer}`,
    frame,
  )

/** Shown before the redirect: the link may have been passed on to a person whose account was not meant. */
export const leavePage = (leave: ConnectLeave, frame: Frame): string =>
  page(
    headline(leave),
    html`<h1>${headline(leave)}</h1>
      <dl>
        <dt>Workspace</dt>
        <dd id="workspace">${leave.workspace}</dd>
        <dt>Requested by</dt>
        <dd id="requester">${leave.requester ?? 'The platform this server belongs to'}</dd>
        <dt>Account at ${leave.title}</dt>
        <dd id="account">${leave.account ?? 'The account you are signed in with there, or sign in with next'}</dd>
      </dl>
      <p>
        When you allow access at ${leave.title}, agents of this workspace act on behalf of that account. If you do not
        know the workspace, or somebody sent you this link, close this window.
      </p>
      <form method="post">
        ${problemNote(leave.problem)}${leave.address && fieldInput(leave.address, false)}
        <button class="button" id="leave" name="leave" value="yes">Continue to ${leave.title}</button>
      </form>
      <footer>You continue to ${leave.to}. Nothing is connected until you allow it there.</footer>`,
    frame,
  )

export const choosePage = ({ choices, workspace, requester }: ConnectChoices, frame: Frame): string =>
  page(
    'Connect an account',
    html`<h1>Connect an account</h1>
      <dl>
        <dt>Workspace</dt>
        <dd id="workspace">${workspace}</dd>
        <dt>Requested by</dt>
        <dd id="requester">${requester ?? 'The platform this server belongs to'}</dd>
      </dl>
      <p>
        Choose the account to connect. Agents of this workspace then act on behalf of it. If you do not know the
        workspace, close this window.
      </p>
      <form method="post">
        ${choices.map(
          ({ value, title, typeTitle, purpose }) =>
            html`<p>
              <button class="button" name="choose" value="${value}">${title}: ${typeTitle}</button><br />${purpose}
            </p>`,
        )}
      </form>`,
    frame,
  )

const states: Record<string, string> = {
  connected: 'Connected and tested',
  unverified: 'Saved but not used yet; the first successful step verifies it',
  disabled: 'Disabled; it is not used until it is enabled again',
}

const goOn = (returnTo: string | null, connection?: string) => {
  if (returnTo === null) return html`<p>You can close this window.</p>`
  const [path = '', hash] = returnTo.split('#')
  const query =
    connection === undefined ? '' : `${path.includes('?') ? '&' : '?'}connection=${encodeURIComponent(connection)}`
  return html`<p>
    <a class="button" id="continue" href="${path}${query}${hash === undefined ? '' : `#${hash}`}">Continue</a>
  </p>`
}

export const donePage = (
  { connection, title, workspace, reconnected, returnTo }: ConnectResult,
  frame: Frame,
): string => {
  const account = connection.account?.name ?? connection.account?.id
  const isVerified = connection.state !== 'unverified'
  return page(
    isVerified ? `${title} connected` : `${title}: key saved`,
    html`<p class="mark good">${isVerified ? (reconnected ? 'Reconnected' : 'Connected') : 'Key saved'}</p>
      <h1>${account ?? connection.name}</h1>
      <dl>
        <dt>Account at ${title}</dt>
        <dd id="account">${account ?? 'This provider does not report the owner of a key'}</dd>
        <dt>Name</dt>
        <dd id="name">${connection.name}</dd>
        <dt>Workspace</dt>
        <dd>${workspace}</dd>
        <dt>State</dt>
        <dd id="state">${states[connection.state] ?? connection.state}</dd>
      </dl>
      <p>
        Agents of this workspace now act on behalf of this account. If it is not the one you meant, remove the
        connection and connect the right one.
      </p>
      ${goOn(returnTo, connection.id)}`,
    frame,
  )
}

type Texts = { title: string; what: string; todo: string }

const again = 'Go back to where you started and choose “Connect” again; that creates a new link, valid for ten minutes.'

const texts: Record<Refusal, Texts> = {
  'no-state': {
    title: 'This link is incomplete',
    what: 'The provider sent your browser here without the value that identifies the request. Nothing was connected.',
    todo: again,
  },
  expired: {
    title: 'This link was used already or has expired',
    what: 'A connect link is valid once and for ten minutes. Nothing was connected this time.',
    todo: again,
  },
  'foreign-browser': {
    title: 'This link was opened in another browser',
    what: 'Connecting must end in the browser where it started, so that nobody can finish it for you or make you finish theirs. Nothing was connected.',
    todo: 'Continue in the first browser, with cookies allowed. If you did not start this yourself, close this window: somebody sent you a link that is not for you. Otherwise choose “Connect” again here.',
  },
  'mixed-up': {
    title: 'This response belongs to another request',
    what: 'The response does not match the request: it is from another provider or of another attempt. Nothing was connected.',
    todo: again,
  },
  denied: {
    title: 'Access was not allowed',
    what: 'The request was denied on the provider’s page, so nothing was connected.',
    todo: 'If you meant to allow it, go back to where you started and choose “Connect” again, then “Allow”.',
  },
  'another-account': {
    title: 'This is a different account',
    what: 'A connection can only be reconnected to the same account, so that agents never act for somebody else unnoticed. Nothing was changed.',
    todo: 'Sign out at the provider and sign in there as the right person, then go back to where you started and choose “Reconnect” again.',
  },
  failed: { title: 'The account could not be connected', what: 'Nothing was connected.', todo: again },
}

export const refusedPage = (
  refusal: Refusal,
  { title, failure, returnTo }: { title: string | null; failure: FailureJson | null; returnTo: string | null },
  frame: Frame,
): string => {
  const text = texts[refusal]
  return page(
    text.title,
    html`<p class="mark bad">${title ?? 'Connect'}: not connected</p>
      <h1>${text.title}</h1>
      <p>${text.what}</p>
      ${problemNote(failure)}
      <h2>What to do</h2>
      <p id="todo">${text.todo}</p>
      ${returnTo !== null && html`<p><a class="button plain" href="${returnTo}">Back</a></p>`}`,
    frame,
  )
}
