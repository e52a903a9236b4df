import { session, useApi } from '../../api/index.ts'
import { Button, ButtonLink, Details, Facts, Glyph, Loading, plural, ProblemBox } from '../../ui/index.ts'
import type { Check } from '../../../../api/resources/check.ts'

const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

type Way = { to: string[]; label: string }

/** The page where something can be done about a finding; other tenants' connections have no page here. */
const wayTo = ({ about }: Check): Way | undefined => {
  if (!about) return undefined
  const { kind, tenant, id } = about
  const isOwn = tenant === null || tenant === session.value?.tenant.id
  if (kind === 'keys') return { to: ['operator', 'keys'], label: 'View the keys' }
  if (kind === 'limits') return { to: ['operator', 'policies'], label: 'View the limits' }
  if (kind === 'audit') return { to: ['operator', 'audit'], label: 'View the audit trail' }
  if (!isOwn) return undefined
  if (kind === 'starts') return { to: ['starts'], label: 'View the starts' }
  return kind === 'connection'
    ? { to: ['connections', id!], label: 'Reconnect' }
    : { to: ['subscriptions', id!], label: 'View the subscription' }
}

const Finding = ({ check }: { check: Check }) => {
  const { title, detail, remedy, level } = check
  const way = wayTo(check)
  return (
    <li class={level === 'problem' ? 'finding bad' : 'finding'}>
      <Glyph name={level === 'problem' ? 'failed' : 'warning'} />
      <div>
        <h3>
          <span class="hidden">{level === 'problem' ? 'Problem: ' : 'Warning: '}</span>
          {upperFirst(title)}
        </h3>
        <p>{detail}</p>
        {remedy !== null && <p class="muted">{remedy}</p>}
      </div>
      {way && (
        <ButtonLink kind="plain" to={way.to}>
          {way.label}
        </ButtonLink>
      )}
    </li>
  )
}

/** Longer details, such as the list of all assumed facts, open on demand. */
const longDetail = 200
const FactDetail = ({ detail }: { detail: string }) =>
  detail.length <= longDetail ? (
    <>{detail}</>
  ) : (
    <Details title={`${detail.slice(0, detail.indexOf(':') > 0 ? detail.indexOf(':') : 60)}…`}>
      <p>{detail}</p>
    </Details>
  )

const verdictOf = (problems: number, warnings: number) =>
  problems + warnings === 0
    ? 'Everything is in order.'
    : [problems > 0 ? plural(problems, 'problem') : '', warnings > 0 ? plural(warnings, 'warning') : '']
        .filter((part) => part !== '')
        .join(' and ') + (problems + warnings === 1 ? ' needs attention.' : ' need attention.')

/** What needs attention, problems before warnings, then the other facts for who wants them. */
export const Checks = () => {
  const { data, problem, loading, reload } = useApi<{ items: Check[] }>('admin/checks')
  const of = (wantedLevel: Check['level']) => (data?.items ?? []).filter(({ level }) => level === wantedLevel)
  const [problems, warnings, facts] = [of('problem'), of('warning'), of('ok')]
  const isFine = problems.length + warnings.length === 0
  return (
    <>
      <ProblemBox problem={problem} retry={reload} />
      {data && (
        <div class={isFine ? 'verdict good' : problems.length > 0 ? 'verdict bad' : 'verdict warn'}>
          <Glyph name={isFine ? 'done' : 'warning'} />
          <p role="status">{verdictOf(problems.length, warnings.length)}</p>
          <Button busy={loading} onClick={reload}>
            Check again
          </Button>
        </div>
      )}
      {!data && loading && <Loading what="the checks" />}
      {!isFine && (
        <ul class="findings">
          {[...problems, ...warnings].map((check) => (
            <Finding key={check.id} check={check} />
          ))}
        </ul>
      )}
      {facts.length > 0 && (
        <Details title="Checked and in order" count={facts.length}>
          <Facts
            facts={facts.map(({ title, detail }) => [upperFirst(title), <FactDetail key={title} detail={detail} />])}
          />
        </Details>
      )}
    </>
  )
}
