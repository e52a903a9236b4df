import type { Brand } from '../../../api/resources/brand.ts'
import type { Scope } from '../../../api/rules.ts'
import type { Offer, OfferedSet } from '../../../runtime/oauth/authorize.ts'
import { html } from '../connect/html.ts'
import type { Html } from '../connect/html.ts'
import { renderPage } from '../connect/page.ts'

/** Where this server is, and whose pages these are. */
export type Place = { root: string; brand: Brand }

const page = (title: string, { root, brand }: Place, body: Html): string => renderPage(title, body, { root, brand })

const problemNote = (problem: string | undefined) =>
  problem !== undefined && html`<p class="note bad" role="alert">${problem}</p>`

export const signInPage = ({
  root,
  brand,
  query,
  problem,
  login,
}: Place & {
  query: string
  problem?: string | undefined
  /** Where people of a team sign in. */
  login?: { name: string; url: string } | undefined
}): string =>
  page(
    'Sign in',
    { root, brand },
    html`<h1>Sign in</h1>
      <p>A program asks to be let in to this server. Sign in to see what it asks for, and to decide.</p>
      ${problemNote(problem)}
      ${login && html`<p><a class="button" id="login" href="${login.url}">Sign in with ${login.name}</a></p>`}
      <form method="post" action="${root}/oauth/sign-in">
        <input type="hidden" name="query" value="${query}" />
        <label for="token">Token</label>
        <input id="token" name="token" type="password" required autocomplete="off" aria-describedby="hint-token" />
        <p class="hint" id="hint-token">
          A token of this server. It stays here: the program does not get it. Or open the link that “toolyard console”
          prints in this browser, and come back.
        </p>
        <button class="button" id="sign-in">Sign in</button>
      </form>
      <footer>If you did not just add this server to a program of yours, close this window.</footer>`,
  )

export const refusedPage = ({
  root,
  brand,
  message,
  url,
}: Place & {
  message: string
  url: string | undefined
}): string =>
  page(
    'This program cannot be let in',
    { root, brand },
    html`<h1>This program cannot be let in</h1>
      <p class="note bad" role="alert">${message}</p>
      <p>Nothing was allowed. If you know the program, tell whoever makes it what you read here.</p>
      ${url !== undefined && html`<p><a class="button plain" id="back" href="${url}" rel="noreferrer">Go back to the program</a></p>`}`,
  )

/** Where the answer goes, as a person recognises it. */
const placeOf = (redirectUri: string): string => {
  const { protocol, host, hostname } = new URL(redirectUri)
  if (['127.0.0.1', '[::1]', 'localhost'].includes(hostname) && protocol === 'http:')
    return 'a program on your computer'
  return protocol === 'https:' ? host : `the program that your computer opens for ${protocol}//`
}

const clientPart = ({ client, redirectUri }: Offer) =>
  html`<dt>Program</dt>
    <dd id="client">
      ${client.name === null ? 'It gives no name' : client.isKnown ? client.name : html`It calls itself “${client.name}”`}
    </dd>
    <dt>Verified address</dt>
    <dd id="verified">
      ${
        client.isKnown
          ? 'None is needed: the operator of this server knows the program'
          : client.host === null
            ? 'None: nobody vouches for that name'
            : html`<strong>${client.host}</strong>`
      }
    </dd>
    <dt>The answer goes to</dt>
    <dd id="place">${placeOf(redirectUri)}</dd>`

const setPart = ({ id, integration, title, purpose, tools }: OfferedSet) =>
  html`<fieldset>
    <legend>
      <input type="checkbox" name="set" value="${id}" id="set-${id}" checked /><label for="set-${id}"
        >${integration}: ${title}</label
      >
    </legend>
    <p class="hint">${purpose}</p>
    <ul class="tools">
      ${tools.map(
        ({ title: name, marks }) =>
          html`<li>${name} ${marks.map((mark) => html`<span class="tag ${mark}">${mark}</span> `)}</li>`,
      )}
    </ul>
  </fieldset>`

const connectionsPart = ({ connections }: Offer) =>
  connections.length > 0 &&
  html`<h2>Accounts</h2>
    <fieldset>
      <legend>With which of these may it act?</legend>
      ${connections.map(
        ({ id, name, integration, person }) =>
          html`<p>
            <input type="checkbox" name="connection" value="${id}" id="${id}" checked /><label for="${id}"
              >${name} (${integration}${person === null ? ', of the workspace' : `, of ${person}`})</label
            >
          </p>`,
      )}
    </fieldset>`

type Openings = { [scope in Scope]?: string }
/** What each scope opens at the API, in the words of who lets a program in. */
const openings: Openings = {
  run: 'Use the tools below, alone and in jobs over whole files; store, read and delete files; see jobs, stop them and have them go on, those of others too',
  read: 'Read what is kept here: accounts, people, budgets, every run and what it cost, results of jobs, contents of files, texts of events, and what agents were started with',
  connections: 'Connect, change and remove accounts. Budgets, apps and other programs stay out of its reach',
  subscriptions:
    'Attach triggers to agents; change, remove and repeat those that are there; read the texts of their events',
}
const openingsOfTools: Openings = {
  run: 'Use the tools below, and read files that are kept here',
  read: 'Read which accounts there are, the texts of events, and files that are kept here',
}

type Consent = Place & { offer: Offer; action: string; csrf: string; problem?: string | undefined }

/** What a program asks for; the person takes away what it should not have. */
export const consentPage = ({ root, brand, offer, action, csrf, problem }: Consent): string => {
  const { client, resource, workspace, person, who, opens, sets, shown } = offer
  const isPaid = sets.some(({ tools }) => tools.some(({ marks }) => marks.includes('costs')))
  return page(
    'Let a program in?',
    { root, brand },
    html`<h1>Let ${client.host ?? 'this program'} in?</h1>
      ${problemNote(problem)}
      <dl>
        ${clientPart(offer)}
        <dt>Workspace</dt>
        <dd id="workspace">${workspace}</dd>
        <dt>Acts for</dt>
        <dd id="person">
          ${person ?? 'Nobody in particular: with all accounts of the workspace, and for any person that it names'}
        </dd>
        <dt>You are signed in with</dt>
        <dd id="who">${who}</dd>
      </dl>
      <form method="post" action="${action}">
        <input type="hidden" name="csrf" value="${csrf}" /><input type="hidden" name="shown" value="${shown}" />
        <h2>What it may do</h2>
        <ul id="opens">
          ${opens.map((scope) => html`<li>${(resource === '/v1' ? openings : openingsOfTools)[scope]}</li>`)}
        </ul>
        <p class="hint">Untick what it may not do. A tool in several sets goes only when all of them do.</p>
        ${sets.map(setPart)} ${connectionsPart(offer)}
        ${
          isPaid &&
          html`<label for="credits">Credits a month, at most</label>
            <input id="credits" name="credits" type="number" min="0" step="any" placeholder="no limit" />
            <p class="hint">Tools marked “costs” spend credits of your accounts.</p>`
        }
        <button class="button" id="allow" name="decision" value="allow">Let it in</button>
        <button class="button plain" id="deny" name="decision" value="deny">Refuse</button>
      </form>
      <footer>
        You can end this at any time: in the console under “Programs”, or with “toolyard grants”. If you did not just
        add this server to a program of yours, refuse.
      </footer>`,
  )
}
