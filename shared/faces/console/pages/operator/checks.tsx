import { useApi } from '../../api/index.ts'
import { Badge, Button, Loading, plural, ProblemBox } from '../../ui/index.ts'
import type { Tone } from '../../ui/index.ts'
import type { Check } from '../../../../api/resources/check.ts'

const levels: { level: Check['level']; title: string; tone: Tone }[] = [
  { level: 'problem', title: 'Problems', tone: 'bad' },
  { level: 'warning', title: 'Warnings', tone: 'warn' },
  { level: 'ok', title: 'In order', tone: 'good' },
]

const Finding = ({ check: { title, detail, remedy, level }, tone }: { check: Check; tone: Tone }) => (
  <li class="panel">
    <h3>
      <Badge tone={tone}>{level}</Badge> {title.charAt(0).toUpperCase() + title.slice(1)}
    </h3>
    <p>{detail}</p>
    {remedy !== null && (
      <p>
        <strong>What to do:</strong> {remedy}
      </p>
    )}
  </li>
)

export const Checks = () => {
  const { data, problem, loading, reload } = useApi<{ items: Check[] }>('admin/checks')
  const of = (wantedLevel: Check['level']) => (data?.items ?? []).filter(({ level }) => level === wantedLevel)
  const [problems, warnings] = [of('problem').length, of('warning').length]
  return (
    <>
      <ProblemBox problem={problem} retry={reload} />
      {data && (
        <p role="status">
          {problems + warnings === 0
            ? 'Everything is in order.'
            : `${plural(problems, 'problem')}, ${plural(warnings, 'warning')}.`}
        </p>
      )}
      {loading ? <Loading what="the checks" /> : <Button onClick={reload}>Check again</Button>}
      {levels.map(
        ({ level, title, tone }) =>
          of(level).length > 0 && (
            <details key={level} class="spaced" open={level !== 'ok' || problems + warnings === 0}>
              <summary>
                <h2>
                  {title} ({of(level).length})
                </h2>
              </summary>
              <ul class="findings">
                {of(level).map((check) => (
                  <Finding key={check.id} check={check} tone={tone} />
                ))}
              </ul>
            </details>
          ),
      )}
    </>
  )
}
