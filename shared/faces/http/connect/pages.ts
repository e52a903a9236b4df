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
import { english } from './texts/index.ts'
import type { Texts } from './texts/index.ts'

/** Where the assets are, whether the script clears the query, whom it tells what, and the texts; absent: English. */
type Frame = {
  root: string
  clearQuery?: boolean
  brand?: Brand | undefined
  embed?: Embed | undefined
  texts?: Texts | undefined
}

const embedData = ({ origins, told }: Embed) =>
  html` data-to="${origins.join(' ')}" data-tell="${JSON.stringify(told)}"`

export const page = (title: string, body: Html, { root, clearQuery = false, brand, embed, texts }: Frame): string => {
  const data = [clearQuery && html` data-clear="query"`, embed && embedData(embed)]
  return renderPage(title, body, {
    root,
    brand,
    locale: texts?.locale,
    script: html`<script src="${root}/connect/assets/page.js" ${data}></script>`,
  })
}

/** Account owners cannot change settings, so their names are not shown here. They are in the log. */
const isForOperator = ({ actor, message }: FailureJson) =>
  actor === 'operator' || /TOOLYARD_|\bwire\.|\/v1\//.test(message)

/** Titles of the fields of the page that a failure is about. */
const fieldsOf = ({ errors = [] }: FailureJson, fields: readonly SecretField[]) =>
  fields.filter(({ name }) => errors.some(({ pointer }) => pointer.endsWith(`/${name}`))).map(({ title }) => title)

const ownerMessage = (problem: FailureJson, texts: Texts, fields: readonly SecretField[] = []) =>
  isForOperator(problem) ? texts.notConfigured : texts.failure(problem, fieldsOf(problem, fields))

const problemNote = (problem: FailureJson | null, texts: Texts, message: string | null) =>
  problem &&
  html`<p class="note bad" role="alert">
    ${message}${problem.providerMessage !== undefined && html`<br />${texts.providerSaid(problem.providerMessage)}`}
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

const headline = ({ title, reconnects }: Pick<ConnectForm, 'title' | 'reconnects'>, texts: Texts) =>
  reconnects === null ? texts.connectTitle(title) : texts.reconnectTitle(reconnects)

const heading = (form: ConnectForm, texts: Texts) =>
  html`<h1>${headline(form, texts)}</h1>
    <p>${form.purpose}</p>
    <p class="quiet">${texts.purpose(form.reconnects === null ? null : form.title, form.workspace, form.requester)}</p>`

const howTo = ({ help }: ConnectForm) => help !== null && html`<p>${help}</p>`

/** Asks which provider the key is for, if this server knows several. */
const profileChoice = ({ profiles }: ConnectForm, texts: Texts) =>
  profiles.length > 0 &&
  html`<label for="profile">${texts.provider}</label>
    <select id="profile" name="${profileField}" required aria-describedby="hint-profile">
      ${profiles.every(({ isChosen }) => !isChosen) && html`<option value="" disabled selected>${texts.chooseProvider}</option>`}
      ${profiles.map(({ name, title, isChosen }) => html`<option value="${name}" ${isChosen && html` selected`}>${title}</option>`)}
    </select>
    <p class="hint" id="hint-profile">${texts.providerHint}</p>`

/** The form for connection types whose secrets the person already has. */
const secretsForm = (form: ConnectForm, texts: Texts) =>
  html`${howTo(form)}
    <form method="post">
      ${profileChoice(form, texts)}${form.fields.map((field) => fieldInput(field, true))}
      <button class="button" id="connect">${texts.connect}</button>
    </form>`

/** The form for a key and a token: first the key, then the provider's page that shows a token, then the token. */
const tokenForm = (form: ConnectForm, texts: Texts) => {
  const [key, ...otherFields] = form.fields
  if (form.authorizeUrl === null) {
    return html`<h2>${texts.keyHeading}</h2>
      <p>${texts.keyPurpose(form.title)}</p>
      <form method="post">${fieldInput(key!, false)}<button class="button">${texts.next}</button></form>`
  }
  return html`<h2>${texts.getTokenHeading}</h2>
    <p>${texts.getToken(form.title)}</p>
    <p>
      <a class="button plain" id="authorize" href="${form.authorizeUrl ?? ''}" target="_blank" rel="noopener noreferrer"
        >${texts.openTokenPage}</a
      >
    </p>
    <h2>${texts.enterTokenHeading}</h2>
    <p class="note good" id="returned" role="status" hidden>${texts.tokenReturned}</p>
    <p class="note bad" id="not-allowed" role="alert" hidden>${texts.tokenNotAllowed}</p>
    <form method="post">
      ${fieldInput(key!, false)}${otherFields.map((field) => fieldInput(field, true))}
      <button class="button" id="connect">${texts.connect}</button>
    </form>`
}

export const formPage = (form: ConnectForm, frame: Frame): string => {
  const { texts = english } = frame
  const { problem, fields } = form
  const message = () =>
    needsReconnect(problem!)
      ? texts.notAccepted(fields.map(({ title }) => title))
      : ownerMessage(problem!, texts, fields)
  return page(
    headline(form, texts),
    html`${heading(form, texts)}${problemNote(problem, texts, problem && message())}${form.authorizeUrl === undefined ? secretsForm(form, texts) : tokenForm(form, texts)}
      <footer>${texts.secrecy}</footer>`,
    frame,
  )
}

/** Who asks for the account, and for which workspace. */
const requestRows = ({ workspace, requester }: Pick<ConnectChoices, 'workspace' | 'requester'>, texts: Texts) =>
  html`<dt>${texts.workspace}</dt>
    <dd id="workspace">${workspace}</dd>
    <dt>${texts.requestedBy}</dt>
    <dd id="requester">${requester ?? texts.unknownRequester}</dd>`

/** Shown before the redirect: the link may have been passed on to a person whose account was not meant. */
export const leavePage = (leave: ConnectLeave, frame: Frame): string => {
  const { texts = english } = frame
  const { problem, address } = leave
  return page(
    headline(leave, texts),
    html`<h1>${headline(leave, texts)}</h1>
      <dl>
        ${requestRows(leave, texts)}
        <dt>${texts.accountAt(leave.title)}</dt>
        <dd id="account">${leave.account ?? texts.anyAccount}</dd>
      </dl>
      <p>${texts.consent(leave.title)}</p>
      <form method="post">
        ${problemNote(problem, texts, problem && ownerMessage(problem, texts, address ? [address] : []))}${address && fieldInput(address, false)}
        <button class="button" id="leave" name="leave" value="yes">${texts.continueTo(leave.title)}</button>
      </form>
      <footer>${texts.leaveNote(leave.to)}</footer>`,
    frame,
  )
}

export const choosePage = ({ choices, workspace, requester }: ConnectChoices, frame: Frame): string => {
  const { texts = english } = frame
  return page(
    texts.chooseTitle,
    html`<h1>${texts.chooseTitle}</h1>
      <dl>${requestRows({ workspace, requester }, texts)}</dl>
      <p>${texts.choose}</p>
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
}

const goOn = (returnTo: string | null, texts: Texts, connection?: string) => {
  if (returnTo === null) return html`<p>${texts.close}</p>`
  const [path = '', hash] = returnTo.split('#')
  const query =
    connection === undefined ? '' : `${path.includes('?') ? '&' : '?'}connection=${encodeURIComponent(connection)}`
  return html`<p>
    <a class="button" id="continue" href="${path}${query}${hash === undefined ? '' : `#${hash}`}">${texts.continue}</a>
  </p>`
}

export const donePage = (
  { connection, title, workspace, reconnected, returnTo }: ConnectResult,
  frame: Frame,
): string => {
  const { texts = english } = frame
  const account = connection.account?.name ?? connection.account?.id
  const isVerified = connection.state !== 'unverified'
  const mark = reconnected ? texts.reconnected : texts.connected
  return page(
    isVerified ? texts.connectedTitle(title) : texts.savedTitle(title),
    html`<p class="mark good">${isVerified ? mark : texts.saved}</p>
      <h1>${account ?? connection.name}</h1>
      <dl>
        <dt>${texts.accountAt(title)}</dt>
        <dd id="account">${account ?? texts.unknownAccount}</dd>
        <dt>${texts.name}</dt>
        <dd id="name">${connection.name}</dd>
        <dt>${texts.workspace}</dt>
        <dd>${workspace}</dd>
        <dt>${texts.state}</dt>
        <dd id="state">${texts.stateOf(connection.state)}</dd>
      </dl>
      <p>${texts.nowActs}</p>
      ${goOn(returnTo, texts, connection.id)}`,
    frame,
  )
}

export const refusedPage = (
  refusal: Refusal,
  { title, failure, returnTo }: { title: string | null; failure: FailureJson | null; returnTo: string | null },
  frame: Frame,
): string => {
  const { texts = english } = frame
  const text = texts.refusals[refusal]
  return page(
    text.title,
    html`<p class="mark bad">${texts.notConnected(title)}</p>
      <h1>${text.title}</h1>
      <p>${text.what}</p>
      ${problemNote(failure, texts, failure && ownerMessage(failure, texts))}
      <h2>${texts.whatToDo}</h2>
      <p id="todo">${text.todo}</p>
      ${returnTo !== null && html`<p><a class="button plain" href="${returnTo}">${texts.back}</a></p>`}`,
    frame,
  )
}
