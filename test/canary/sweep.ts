/**
 * Something that was left behind or given out. `place`: logs, files, http …; `shown`: secrets that belong there, such
 * as a token in the answer that makes it.
 */
export type Evidence = { place: string; name: string; bytes: Buffer; shown?: string[] }
export type Hit = { place: string; name: string; secret: string; form: string }

const json = (text: string) => JSON.stringify(text).slice(1, -1)
const escapeAll = (text: string) =>
  [...text].map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
const swapCase = (text: string, pattern: RegExp) => text.replace(pattern, (part) => part.toLowerCase())

/** What of its base64 does not depend on what stands before and after it, for each of the three ways it can lie. */
const base64 = (bytes: Buffer): [string, string][] =>
  [0, 1, 2].flatMap((offset): [string, string][] => {
    const whole = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    const inner = whole.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
    return [
      [`base64+${offset}`, inner],
      [`base64url+${offset}`, inner.replaceAll('+', '-').replaceAll('/', '_')],
    ]
  })

/** Every way a text is written in answers, logs, files and addresses. */
const writings = (text: string): [string, string][] => {
  const bytes = Buffer.from(text)
  const percent = encodeURIComponent(text)
  const hex = bytes.toString('hex')
  return [
    ['plain', text],
    ['percent-encoded', percent],
    ['percent-encoded, small', swapCase(percent, /%../g)],
    ['form-encoded', new URLSearchParams({ x: text }).toString().slice(2)],
    ['percent-encoded whole', hex.toUpperCase().replace(/../g, '%$&')],
    ['percent-encoded whole, small', hex.replace(/../g, '%$&')],
    ['hex', hex],
    ['hex, capital', hex.toUpperCase()],
    ['JSON-escaped', json(text)],
    ['JSON-escaped twice', json(json(text))],
    ['JSON-escaped with \\/', json(text).replaceAll('/', '\\/')],
    ['JSON-escaped whole', escapeAll(text)],
    [
      'HTML-escaped',
      text
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
        .replaceAll('"', '&quot;')
        .replaceAll("'", '&#39;'),
    ],
    ['UTF-16', Buffer.from(text, 'utf16le').toString('latin1')],
    ...base64(bytes),
  ]
}

/** The last four characters of a secret are shown; a run of this many of any others is a leak. */
const enough = 16

/** The secret, its beginning and its middle: what is cut off is a leak too. */
const parts = (secret: string): [string, string][] =>
  secret.length < 2 * enough + 4
    ? [['', secret]]
    : [
        ['', secret],
        ['beginning, ', secret.slice(0, enough)],
        ['middle, ', secret.slice(-enough - 4, -4)],
      ]

export const formsOf = (secret: string): Map<string, string> => {
  const forms = new Map<string, string>()
  for (const [part, text] of parts(secret))
    for (const [name, form] of writings(text)) if (!forms.has(form)) forms.set(form, part + name)
  return forms
}

/**
 * What a provider gives a secret back as; it does not know the parts, and does not write every sign of it otherwise.
 */
export const echoesOf = (secret: string): string[] => {
  const exotic = new Set(['JSON-escaped whole', 'UTF-16'])
  const inBase64 = [secret, `k:${secret}`, `key=${secret}&`].flatMap((text) => [
    Buffer.from(text).toString('base64'),
    Buffer.from(text).toString('base64url'),
  ])
  return [
    ...writings(secret).flatMap(([name, form]) => (exotic.has(name) || name.startsWith('base64') ? [] : [form])),
    ...inBase64,
  ]
}

/** Looks for every form of every secret in everything. `secrets`: by the name that a hit is told with. */
export const sweep = (evidence: Evidence[], secrets: Map<string, string>): Hit[] => {
  const forms = [...secrets].map(
    ([secret, text]) =>
      [secret, text, [...formsOf(text)].map(([form, name]) => [Buffer.from(form, 'latin1'), name] as const)] as const,
  )
  return evidence.flatMap(({ place, name, bytes, shown = [] }) =>
    forms.flatMap(([secret, text, encodings]) => {
      if (shown.includes(text)) return []
      return encodings.filter(([form]) => bytes.includes(form)).map(([, form]) => ({ place, name, secret, form }))
    }),
  )
}
