import { failField } from '#kit'

/**
 * Values the driver understands. It silently takes any other text for one of them and would connect differently from
 * what was asked.
 */
const knownParameters: Record<string, { values: string[]; remedy?: string }> = {
  sslmode: {
    values: ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'],
    remedy: 'All but the first two encrypt the connection and check the certificate of the server.',
  },
  ssl: { values: ['true', '1', '0', 'no-verify'], remedy: 'sslmode=disable connects without encryption.' },
  sslnegotiation: { values: ['postgres', 'direct'] },
  uselibpqcompat: { values: ['true', 'false'] },
}

const requireKnownValue = (setting: string, said: string, name: string, value: string) => {
  const { values, remedy } = knownParameters[name]!
  if (values.includes(value)) return
  const choices = `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`
  throw failField(
    setting,
    `${setting} ${said}${value.slice(0, 40)}. Give ${choices}.${remedy === undefined ? '' : ` ${remedy}`}`,
  )
}

/**
 * Checks the address of a PostgreSQL database. `from`: the setting that holds it. `sslMode`: PGSSLMODE of the
 * environment, which applies when the address has no `sslmode`.
 * @throws Failure `invalid_input`; its message does not repeat the address, which may hold a password
 */
export const readDatabaseUrl = (
  text: string,
  { from = 'DATABASE_URL', sslMode }: { from?: string; sslMode?: string | undefined } = {},
): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^postgres(ql)?:$/.test(url.protocol) || url.pathname.length < 2)
    throw failField(
      from,
      `${from} is not the address of a PostgreSQL database. Give one like postgres://user:password@host:5432/database, or unset it.`,
    )
  for (const [name, value] of url.searchParams)
    if (Object.hasOwn(knownParameters, name)) requireKnownValue(from, `has ${name}=`, name, value)
  if (sslMode !== undefined && !url.searchParams.has('sslmode'))
    requireKnownValue('PGSSLMODE', 'is ', 'sslmode', sslMode)
  return text
}
