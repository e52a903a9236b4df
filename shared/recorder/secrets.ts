import { fail } from '#kit'
import { redacted } from '../pack.ts'
import { mapTexts, plainName } from './texts.ts'

/** Names of fields that hold a credential, whatever the provider. */
const secretNames = ['password', 'secret', 'clientsecret', 'accesstoken', 'refreshtoken', 'apikey', 'privatekey']

/** Names under which deliveries carry a secret of the app: in an answer, a `token` may be that of the next page. */
export const deliverySecretNames = ['token', 'verificationtoken', 'responseurl']

/** Text that looks like a well-known kind of credential. */
const secretLooking =
  /ATTA[0-9A-Za-z]{20}|Bearer [A-Za-z0-9]{16}|[sr]k_live_|AKIA[0-9A-Z]{12}|gh[pousr]_[A-Za-z0-9]{20}|xox[abprs]-|eyJ[\w-]{10,500}\.[\w-]{10,500}\.|PRIVATE KEY-----/

/** Masks fields that hold credentials by their name; `names`: those of the provider. */
export const hideSecrets = (names: string[]) => {
  const secret = new Set([...names.map(plainName), ...secretNames])
  const hide = (text: string, name: string) => (text !== '' && secret.has(plainName(name)) ? redacted : text)
  return (value: unknown): unknown => mapTexts(value, hide)
}

/** Parameters that give access to everybody who has the address, such as that of a file to download. */
const secretParameter =
  /[?&;](?:x-(?:amz|goog)-(?:signature|credential|security-token)|awsaccesskeyid|googleaccessid|signature|sig|token|access_token|auth_token|api_?key|jwt)=([^&#\s"'<>\\)]+)/gi
/** Shorter values are not masked elsewhere, because other texts may contain them by chance. */
const shortestRepeated = 12

/** Decodes a value as that of a query, which never fails. */
const decodeValue = (text: string) => new URLSearchParams(`value=${text}`).get('value')!

/**
 * Masks signatures and tokens of the addresses anywhere in `value`, and the same secrets elsewhere, such as in the
 * request for the next page.
 */
export const hideInAddresses = (value: unknown): ((text: string) => string) => {
  const secrets = new Set<string>()
  mapTexts(value, (text) => {
    for (const [, secret] of text.matchAll(secretParameter))
      for (const form of [secret!, decodeValue(secret!)]) if (form.length >= shortestRepeated) secrets.add(form)
    return text
  })
  return (text) => {
    const masked = text.replaceAll(
      secretParameter,
      (match, secret: string) => match.slice(0, -secret.length) + redacted,
    )
    return [...secrets].reduce((sum, secret) => sum.replaceAll(secret, redacted), masked)
  }
}

/**
 * @param holdsSecret says whether a text contains a secret of the connection, in any form
 * @throws Failure `not_allowed` when a secret is left in spite of the masking
 */
export const requireNoSecret = (example: unknown, holdsSecret: ((text: string) => boolean)[]): void => {
  const texts = [JSON.stringify(example)]
  mapTexts(example, (text) => (texts.push(text), text))
  if (secretLooking.test(texts[0]!) || holdsSecret.some((holds) => texts.some(holds)))
    throw fail(
      'not_allowed',
      'The example would hold a secret, or a text that looks like one, so nothing was recorded. Record it with other data.',
    )
}
