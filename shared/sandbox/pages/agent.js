/** Shows what the example agent received, newest first, as text. */
const at = (id) => document.getElementById(id)
const pollMs = 1000
const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
let known = ''

const say = (text) => {
  if (at('status').textContent !== text) at('status').textContent = text
}

const drawStart = ({ n, at: when, key, status, body }) => {
  const item = document.createElement('li')
  item.value = n
  const text = document.createElement('pre')
  text.tabIndex = 0
  text.setAttribute('aria-label', `Start ${n}`)
  text.textContent = JSON.stringify(body, null, 2)
  item.append(
    `${time.format(new Date(when))}, ${body?.type ?? 'no type'}, answered ${status}${key ? `, key ${key}` : ''}`,
    text,
  )
  return item
}

const follow = async () => {
  try {
    const text = await (await fetch('/sandbox/state')).text()
    if (text !== known) {
      known = text
      const { behaviour, starts } = JSON.parse(text)
      const value = `${behaviour.status} ${behaviour.waitMs}`
      if (document.activeElement !== at('behaviour') && [...at('behaviour').options].some((one) => one.value === value))
        at('behaviour').value = value
      at('starts').replaceChildren(...starts.map(drawStart))
      say(starts.length === 0 ? 'Nothing received yet.' : `${starts[0].n} received.`)
    }
  } catch {
    known = ''
    say('The sandbox does not answer. Check that it is running; this page goes on when it is back.')
  }
  setTimeout(() => void follow(), pollMs)
}

at('behaviour').addEventListener('change', async ({ target }) => {
  const [status, waitMs] = target.value.split(' ').map(Number)
  const failed = 'The change did not reach the agent. Try again.'
  const reply = await fetch('/sandbox/behave', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ status, waitMs }),
  }).catch(() => undefined)
  if (!reply?.ok) say(failed)
})
void follow()
