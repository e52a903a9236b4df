import { failField } from '#kit'
import type { ConnectionType } from '#kit'

/**
 * Last four characters of each field. Secrets under 12 characters show nothing: four characters would reveal too much.
 */
export const lastFour = (secrets: Record<string, string>) =>
  Object.fromEntries(Object.entries(secrets).map(([field, text]) => [field, text.length >= 12 ? text.slice(-4) : '']))

/** @throws Failure `invalid_input` naming the fields, never their values */
export const parseSecrets = (type: ConnectionType, rawSecrets: unknown): Record<string, string> => {
  const parsed = type.secrets.safeParse(rawSecrets ?? {})
  if (parsed.success) return parsed.data as Record<string, string>
  const fields = Object.keys(type.secrets.shape)
  // The issue's own text could quote the value, so it is not included.
  const wrong = [
    ...new Set(
      parsed.error.issues.map((issue) =>
        String(issue.path[0] ?? (issue.code === 'unrecognized_keys' ? issue.keys[0] : '')),
      ),
    ),
  ]
  throw failField(
    `secrets/${wrong[0] ?? ''}`,
    `"${type.title}" takes these secrets, each as text: ${fields.join(', ')}. Missing or wrong: ${wrong.join(', ')}.`,
  )
}
