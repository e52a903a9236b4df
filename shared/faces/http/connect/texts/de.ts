import type { FailureCode } from '#kit'
import type { Refusal } from '../../../../runtime/connections/browser/types.ts'
import type { Texts } from './en.ts'

const again =
  'Gehen Sie dorthin zurück, wo Sie begonnen haben, und wählen Sie dort erneut „Verbinden“. Sie erhalten dann einen neuen Link.'

const refusals: Record<Refusal, { title: string; what: string; todo: string }> = {
  'no-state': {
    title: 'Dieser Link ist unvollständig',
    what: 'Der Anbieter hat Sie ohne die Kennung zurückgeleitet, die zu Ihrer Anfrage gehört. Es wurde nichts verbunden.',
    todo: again,
  },
  expired: {
    title: 'Dieser Link wurde schon benutzt oder ist abgelaufen',
    what: 'Ein Link zum Verbinden kann nur einmal und nur für begrenzte Zeit benutzt werden. Diesmal wurde nichts verbunden.',
    todo: again,
  },
  'foreign-browser': {
    title: 'Dieser Link wurde in einem anderen Browser geöffnet',
    what: 'Sie müssen den Vorgang in dem Browser abschließen, in dem Sie ihn begonnen haben. So kann ihn niemand an Ihrer Stelle abschließen oder Sie dazu bringen, einen fremden Vorgang abzuschließen. Es wurde nichts verbunden.',
    todo: 'Fahren Sie im ersten Browser fort und lassen Sie dort Cookies zu. Wenn Sie diesen Vorgang nicht selbst begonnen haben, schließen Sie dieses Fenster: Jemand hat Ihnen einen Link geschickt, der nicht für Sie bestimmt ist. Wenn Sie lieber diesen Browser benutzen möchten, gehen Sie dorthin zurück, wo Sie begonnen haben, und wählen Sie erneut „Verbinden“.',
  },
  'mixed-up': {
    title: 'Diese Antwort gehört zu einer anderen Anfrage',
    what: 'Die Antwort passt nicht zur Anfrage: Sie stammt von einem anderen Anbieter oder aus einem anderen Versuch. Es wurde nichts verbunden.',
    todo: again,
  },
  denied: {
    title: 'Der Zugriff wurde nicht erlaubt',
    what: 'Die Anfrage wurde auf der Seite des Anbieters abgelehnt. Deshalb wurde nichts verbunden.',
    todo: 'Wenn Sie den Zugriff erlauben wollten, gehen Sie dorthin zurück, wo Sie begonnen haben, und wählen Sie erneut „Verbinden“ und dann „Zulassen“ („Allow“).',
  },
  'another-account': {
    title: 'Das ist ein anderes Konto',
    what: 'Eine Verbindung kann nur mit demselben Konto wiederhergestellt werden, damit KI-Agenten nie unbemerkt für jemand anderen handeln. Es wurde nichts geändert.',
    todo: 'Melden Sie sich beim Anbieter ab und mit dem richtigen Konto wieder an. Gehen Sie dann dorthin zurück, wo Sie begonnen haben, und wählen Sie noch einmal „Erneut verbinden“.',
  },
  failed: { title: 'Das Konto konnte nicht verbunden werden', what: 'Es wurde nichts verbunden.', todo: again },
}

const states: Record<string, string> = {
  connected: 'Verbunden und geprüft',
  unverified: 'Gespeichert, aber noch nicht benutzt; der erste erfolgreiche Schritt bestätigt den Schlüssel',
  disabled: 'Deaktiviert; die Verbindung wird erst wieder benutzt, wenn sie aktiviert ist',
}

const unexpected =
  'Es ist ein unerwarteter Fehler aufgetreten. Bitte versuchen Sie es noch einmal. Tritt er wieder auf, wenden Sie sich an den Betreiber dieses Servers.'

/** The messages of failures are English, so their codes are explained here. */
const failures: Record<FailureCode, string> = {
  invalid_input: 'Eine Angabe fehlt oder hat nicht die erwartete Form. Bitte prüfen Sie Ihre Angaben.',
  unauthenticated: unexpected,
  bad_signature: unexpected,
  budget_exceeded: unexpected,
  not_allowed: 'Das ist auf diesem Server nicht erlaubt. Bitte wenden Sie sich an seinen Betreiber.',
  approval_denied: unexpected,
  not_found:
    'Das Konto wurde nicht gefunden. Vielleicht wurde es inzwischen entfernt oder gehört jetzt jemand anderem. Verbinden Sie es als neues Konto.',
  conflict: 'Diese Zugangsdaten gehören zu einem anderen Konto, oder die Verbindung wurde gleichzeitig geändert.',
  approval_expired: unexpected,
  too_large: 'Die Angaben oder die Antwort des Anbieters sind zu groß.',
  rejected: 'Der Anbieter hat die Anfrage abgelehnt. Bitte prüfen Sie Ihre Angaben.',
  not_connected:
    'Der Anbieter hat die Zugangsdaten nicht angenommen. Bitte prüfen Sie sie und verbinden Sie das Konto noch einmal.',
  access_denied:
    'Der Anbieter verweigert diesem Konto den Zugriff. Bitte prüfen Sie dort die Berechtigungen des Kontos und des Schlüssels.',
  credits_exhausted:
    'Das Guthaben des Kontos beim Anbieter ist aufgebraucht. Laden Sie es dort auf und versuchen Sie es noch einmal.',
  approval_pending: unexpected,
  outcome_unknown:
    'Es ist nicht sicher, ob der Anbieter die Anfrage ausgeführt hat. Bitte prüfen Sie das dort, bevor Sie es noch einmal versuchen.',
  rate_limited:
    'Der Anbieter nimmt im Augenblick keine weiteren Anfragen an. Bitte versuchen Sie es in einigen Minuten noch einmal.',
  suppressed: unexpected,
  cancelled: 'Der Vorgang wurde abgebrochen. Bitte versuchen Sie es noch einmal.',
  internal: unexpected,
  wire_unset: unexpected,
  provider_failed: 'Beim Anbieter ist ein Fehler aufgetreten. Bitte versuchen Sie es später noch einmal.',
  bad_reply: 'Die Antwort des Anbieters konnte nicht gelesen werden. Bitte versuchen Sie es später noch einmal.',
  unavailable: 'Dieser Server ist im Augenblick ausgelastet. Bitte versuchen Sie es in einigen Minuten noch einmal.',
  unreachable: 'Der Anbieter ist im Augenblick nicht erreichbar. Bitte versuchen Sie es später noch einmal.',
}

const joinWords = (words: readonly string[]) =>
  [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((word) => word !== '').join(' und ')

export const german: Texts = {
  locale: 'de',
  workspace: 'Arbeitsbereich',
  requestedBy: 'Angefordert von',
  unknownRequester: 'Die Plattform, zu der dieser Server gehört',
  accountAt: (provider) => `Konto bei ${provider}`,

  connectTitle: (provider) => `${provider} verbinden`,
  reconnectTitle: (connection) => `„${connection}“ erneut verbinden`,
  purpose: (provider, workspace, requester) =>
    `${provider === null ? 'Für' : `${provider}, für`} den Arbeitsbereich „${workspace}“${requester === null ? '' : `, angefordert von „${requester}“`}.`,
  secrecy:
    'Ihre Eingaben werden verschlüsselt gespeichert und nur an diesen Anbieter gesendet. Sie werden nie wieder angezeigt.',
  connect: 'Verbinden',
  next: 'Weiter',

  provider: 'Anbieter',
  chooseProvider: 'Bitte wählen …',
  providerHint:
    'Der Anbieter, von dem dieser Schlüssel stammt, und die Version seiner Schnittstelle. Der Schlüssel wird nur dorthin gesendet.',

  keyHeading: '1. Ihr API-Schlüssel',
  keyPurpose: (provider) =>
    `Daran erkennt ${provider} Ihre Anwendung. Im nächsten Schritt wird damit die Seite geöffnet, auf der Sie ein Token erhalten.`,
  getTokenHeading: '1. Token anfordern',
  getToken: (provider) =>
    `Öffnen Sie die Seite von ${provider}, wählen Sie „Zulassen“ („Allow“) und kopieren Sie das Token, das dort angezeigt wird.`,
  openTokenPage: 'Seite des Anbieters öffnen',
  enterTokenHeading: '2. Token eingeben',
  tokenReturned: 'Das Token wurde übernommen. Wählen Sie „Verbinden“, um es zu verwenden.',
  tokenNotAllowed:
    'Die Seite des Anbieters hat kein Token geliefert, weil der Zugriff nicht erlaubt wurde. Öffnen Sie sie noch einmal und wählen Sie „Zulassen“ („Allow“).',

  anyAccount: 'Das Konto, mit dem Sie dort angemeldet sind oder sich gleich anmelden',
  consent: (provider) =>
    `Wenn Sie den Zugriff bei ${provider} erlauben, handeln KI-Agenten dieses Arbeitsbereichs im Namen dieses Kontos. Wenn Sie den Arbeitsbereich nicht kennen oder Ihnen jemand diesen Link geschickt hat, schließen Sie dieses Fenster.`,
  continueTo: (provider) => `Weiter zu ${provider}`,
  leaveNote: (origin) =>
    `Sie werden zu ${origin} weitergeleitet. Erst wenn Sie dort zustimmen, wird das Konto verbunden.`,

  chooseTitle: 'Konto verbinden',
  choose:
    'Wählen Sie das Konto, das Sie verbinden möchten. KI-Agenten dieses Arbeitsbereichs handeln dann in seinem Namen. Wenn Sie den Arbeitsbereich nicht kennen, schließen Sie dieses Fenster.',

  connectedTitle: (provider) => `${provider} ist verbunden`,
  savedTitle: (provider) => `${provider}: Schlüssel gespeichert`,
  connected: 'Verbunden',
  reconnected: 'Erneut verbunden',
  saved: 'Schlüssel gespeichert',
  unknownAccount: 'Dieser Anbieter teilt nicht mit, wem ein Schlüssel gehört',
  name: 'Name',
  state: 'Status',
  stateOf: (state) => states[state] ?? state,
  nowActs:
    'KI-Agenten dieses Arbeitsbereichs handeln ab jetzt im Namen dieses Kontos. Falls Sie ein anderes Konto verbinden wollten, entfernen Sie die Verbindung und verbinden Sie das richtige.',
  close: 'Sie können dieses Fenster schließen.',
  continue: 'Weiter',

  refusals,
  notConnected: (provider) => (provider === null ? 'Nicht verbunden' : `${provider}: nicht verbunden`),
  whatToDo: 'Was Sie tun können',
  back: 'Zurück',

  notAccepted: (fields) =>
    `Der Anbieter hat ${fields.length > 1 ? 'diese Angaben' : 'diese Angabe'} nicht angenommen: ${joinWords(fields)}. Bitte prüfen Sie, ob Sie alles vollständig und ohne Leerzeichen kopiert haben${fields.length > 1 ? ' und ob die Angaben zusammengehören' : ''}.`,
  notConfigured:
    'Dieser Server ist für dieses Konto noch nicht eingerichtet. Bitte wenden Sie sich an seinen Betreiber und nennen Sie das Konto, das Sie verbinden wollten, und die Uhrzeit.',
  failure: ({ code }, fields) =>
    fields.length > 0
      ? `${fields.length > 1 ? 'Diese Angaben fehlen oder haben' : 'Diese Angabe fehlt oder hat'} nicht die erwartete Form: ${joinWords(fields)}. Bitte prüfen Sie Ihre Eingabe.`
      : failures[code],
  providerSaid: (words) => `Der Anbieter meldet: „${words}“`,
}
