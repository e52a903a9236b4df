import type { FailureJson } from '#kit'
import type { Refusal } from '../../../../runtime/connections/browser/types.ts'

const again = 'Go back to where you started and choose “Connect” again; that creates a new link.'

const refusals: Record<Refusal, { title: string; what: string; todo: string }> = {
  'no-state': {
    title: 'This link is incomplete',
    what: 'The provider sent your browser here without the value that identifies the request. Nothing was connected.',
    todo: again,
  },
  expired: {
    title: 'This link was used already or has expired',
    what: 'A connect link can be used once, and only for a limited time. Nothing was connected this time.',
    todo: again,
  },
  'foreign-browser': {
    title: 'This link was opened in another browser',
    what: 'An account must be connected in the browser where you started, so that nobody can finish this for you or make you finish theirs. Nothing was connected.',
    todo: 'Continue in the first browser, with cookies allowed. If you did not start this yourself, close this window: somebody sent you a link that is not for you. To use this browser instead, go back to where you started and choose “Connect” again.',
  },
  'mixed-up': {
    title: 'This response belongs to another request',
    what: 'The response does not match the request: it is from another provider or another attempt. Nothing was connected.',
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

const states: Record<string, string> = {
  connected: 'Connected and tested',
  unverified: 'Saved but not used yet; the first successful step verifies it',
  disabled: 'Disabled; it is not used until it is enabled again',
}

/** Every sentence of the connect pages. The texts of an integration are not here: they are in its manifest. */
export const english = {
  locale: 'en',
  workspace: 'Workspace',
  requestedBy: 'Requested by',
  unknownRequester: 'The platform this server belongs to',
  accountAt: (provider: string) => `Account at ${provider}`,

  connectTitle: (provider: string) => `Connect ${provider}`,
  reconnectTitle: (connection: string) => `Reconnect “${connection}”`,
  /** `provider`: null where the heading names it. */
  purpose: (provider: string | null, workspace: string, requester: string | null) =>
    `${provider === null ? 'For' : `${provider}, for`} the workspace “${workspace}”${requester === null ? '' : `, requested by “${requester}”`}.`,
  secrecy: 'What you enter is encrypted and sent to this provider only. It is never shown again.',
  connect: 'Connect',
  next: 'Next',

  provider: 'Provider',
  chooseProvider: 'Choose…',
  providerHint: 'The provider whose key this is, and the version of its API. The key is sent there only.',

  keyHeading: '1. Your API key',
  keyPurpose: (provider: string) =>
    `It identifies your app at ${provider}. The next step uses it to open the page that gives you a token.`,
  getTokenHeading: '1. Get a token',
  getToken: (provider: string) => `Open ${provider}’s page, choose “Allow” and copy the token it shows.`,
  openTokenPage: 'Open the authorize page',
  enterTokenHeading: '2. Enter the token',
  tokenReturned: 'The token was returned. Choose “Connect” to use it.',
  tokenNotAllowed:
    'The authorize page returned no token because access was not allowed. Open it again and choose “Allow”.',

  anyAccount: 'The account you are signed in with there, or sign in with next',
  consent: (provider: string) =>
    `When you allow access at ${provider}, agents of this workspace act on behalf of that account. If you do not know the workspace, or somebody sent you this link, close this window.`,
  continueTo: (provider: string) => `Continue to ${provider}`,
  leaveNote: (origin: string) => `You continue to ${origin}. Nothing is connected until you allow it there.`,

  chooseTitle: 'Connect an account',
  choose:
    'Choose the account to connect. Agents of this workspace then act on its behalf. If you do not know the workspace, close this window.',

  connectedTitle: (provider: string) => `${provider} connected`,
  savedTitle: (provider: string) => `${provider}: key saved`,
  connected: 'Connected',
  reconnected: 'Reconnected',
  saved: 'Key saved',
  unknownAccount: 'This provider does not report the owner of a key',
  name: 'Name',
  state: 'State',
  stateOf: (state: string) => states[state] ?? state,
  nowActs:
    'Agents of this workspace now act on behalf of this account. If it is not the one you meant, remove the connection and connect the right one.',
  close: 'You can close this window.',
  continue: 'Continue',

  refusals,
  /** `provider`: null where it is unknown. */
  notConnected: (provider: string | null) => (provider === null ? 'Not connected' : `${provider}: not connected`),
  whatToDo: 'What to do',
  back: 'Back',

  /** The secrets are wrong: on this page the remedy is to correct them, not to reconnect. */
  notAccepted: (fields: readonly string[]) =>
    `The provider does not accept this ${fields.join(' and ')}. Check that ${fields.length > 1 ? 'each was copied completely, without spaces, and that they belong together' : 'it was copied completely, without spaces'}.`,
  notConfigured:
    'This server is not configured for this account yet. Ask its operator, and say which account you wanted to connect, and when.',
  /** Any other failure. `fields`: titles of what it is about, as far as the page asks for it. */
  failure: ({ message }: Pick<FailureJson, 'code' | 'message'>, _fields: readonly string[]) => message,
  providerSaid: (words: string) => `The provider said: “${words}”`,
}

/** What a language must have; a text that is missing is a type error. */
export type Texts = typeof english
