/** Times in the reader's zone and language. */
const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const short = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
]

const relativeTo = (at: number, now: number) => {
  const [unit, ms] = units.find(([, unitMs]) => Math.abs(at - now) >= unitMs) ?? ['second', 1000]
  return relative.format(Math.round((at - now) / ms), unit)
}

/** `relative`: show "3 minutes ago"; the exact time with its zone is always in the title. A null time shows a dash. */
export const Time = ({ at, relative: isRelative = false }: { at: string | null | undefined; relative?: boolean }) => {
  if (at === null || at === undefined) return <>–</>
  const date = new Date(at)
  return (
    <time dateTime={at} title={`${absolute.format(date)} (${zone})`}>
      {isRelative ? relativeTo(date.getTime(), Date.now()) : short.format(date)}
    </time>
  )
}

export const formatDuration = (ms: number) =>
  ms < 1000
    ? `${Math.round(ms)} ms`
    : ms < 60_000
      ? `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`
      : ms < 3_600_000
        ? `${Math.round(ms / 60_000)} min`
        : `${(ms / 3_600_000).toFixed(1)} h`
