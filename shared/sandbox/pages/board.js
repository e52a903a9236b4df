/** Draws the sandbox's boards, lists and cards from its state once a second. All values from there are set as text. */
const at = (id) => document.getElementById(id)
const dialog = at('card')
const pollMs = 1000

let state = { people: [], boards: [] }
let known = ''
/** Requests for the state: how many there were, and whose answer is shown. */
let [turns, current] = [0, 0]
let dragged
let openCard

const el = (name, props = {}, ...children) => {
  const made = Object.assign(document.createElement(name), props)
  made.append(...children)
  return made
}
const say = (text) => void (at('status').textContent = text)
const board = () => state.boards.find(({ id }) => id === at('boards').value) ?? state.boards[0]
const cardOf = (id) =>
  board()
    ?.lists.flatMap((list) => list.cards.map((card) => ({ ...card, list })))
    .find((card) => card.id === id)
const short = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** @returns whether the change succeeded; an error is shown where the person is looking */
const change = async (name, input) => {
  const tell = (text) => (dialog.open ? void (at('problem').textContent = text) : say(text))
  tell('')
  try {
    const reply = await fetch(`/sandbox/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...input, by: at('people').value }),
    })
    if (!reply.ok) tell((await reply.json()).message)
    await refresh()
    return reply.ok
  } catch {
    tell('The sandbox does not answer. Check that it is running.')
    return false
  }
}

const setOptions = (select, options) => {
  const wanted = JSON.stringify(options)
  if (select.dataset.options === wanted) return
  const { value } = select
  select.replaceChildren(...options.map(([id, name]) => el('option', { value: id, textContent: name })))
  select.dataset.options = wanted
  if (options.some(([id]) => id === value)) select.value = value
}

const fillCard = () => {
  const card = cardOf(openCard)
  if (!card) return dialog.close()
  at('card-name').textContent = card.name
  at('card-text').textContent = card.desc
  const labels = at('labels')
  const wanted = JSON.stringify([card.id, board().labels])
  if (labels.dataset.labels !== wanted) {
    labels.dataset.labels = wanted
    labels.hidden = board().labels.length === 0
    labels.querySelectorAll('label').forEach((one) => one.remove())
    for (const { id, name, color } of board().labels) {
      const box = el('input', { type: 'checkbox', value: id })
      box.addEventListener('change', () => void change('labelCard', { idCard: openCard, idLabel: id, on: box.checked }))
      labels.append(el('label', {}, box, ` ${name || color || 'no name'}`))
    }
  }
  for (const box of labels.querySelectorAll('input')) box.checked = card.idLabels.includes(box.value)
  const comments = card.comments.map(({ by, date, text }) =>
    el('li', {}, el('strong', { textContent: by }), `, ${short.format(new Date(date))}: ${text}`),
  )
  at('comments').replaceChildren(...(comments.length > 0 ? comments : [el('li', { textContent: 'None yet' })]))
}

/** The value for an input of type datetime-local: the time in the reader's zone, without the zone. */
const localTime = (due) => {
  const date = new Date(due)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

const show = (id) => {
  openCard = id
  const card = cardOf(id)
  at('problem').textContent = ''
  setOptions(
    at('move').elements.idList,
    board().lists.map((list) => [list.id, list.name]),
  )
  at('move').elements.idList.value = card.list.id
  at('due').elements.due.value = card.due ? localTime(card.due) : ''
  at('comment').reset()
  fillCard()
  dialog.showModal()
}

const drawCard = (card, labels) => {
  const names = labels.filter(({ id }) => card.idLabels.includes(id)).map(({ name, color }) => name || color)
  const notes = [
    ...names,
    ...(card.due ? [`due ${short.format(new Date(card.due))}`] : []),
    ...(card.comments.length > 0 ? [`${card.comments.length} comment${card.comments.length === 1 ? '' : 's'}`] : []),
  ]
  const button = el('button', { type: 'button', className: 'card', draggable: true }, card.name)
  button.dataset.id = card.id
  if (notes.length > 0) button.append(el('small', { textContent: notes.join(' · ') }))
  button.addEventListener('click', () => show(card.id))
  button.addEventListener('dragstart', (event) => {
    dragged = card.id
    event.dataTransfer.setData('text/plain', card.name)
    event.dataTransfer.effectAllowed = 'move'
    button.classList.add('dragged')
  })
  button.addEventListener('dragend', () => {
    dragged = undefined
    button.classList.remove('dragged')
    draw()
  })
  return el('li', {}, button)
}

/** The position of a card that is dropped at this height. */
const positionAt = (list, section, y) => {
  const others = [...section.querySelectorAll('.card')].filter((one) => one.dataset.id !== dragged)
  const index = others.findIndex((one) => y < one.getBoundingClientRect().top + one.getBoundingClientRect().height / 2)
  if (index < 0) return 'bottom'
  if (index === 0) return 'top'
  const [before, after] = [others[index - 1], others[index]].map(
    (one) => list.cards.find(({ id }) => id === one.dataset.id).pos,
  )
  return (before + after) / 2
}

const drawList = (list, labels) => {
  const heading = el('h2', { id: `list-${list.id}`, textContent: list.name })
  const name = el('input', { name: 'name', required: true, maxLength: 512, autocomplete: 'off' })
  name.dataset.id = `new-${list.id}`
  name.setAttribute('aria-label', `New card on ${list.name}`)
  const form = el('form', { className: 'new' }, name, el('button', { textContent: 'Add card' }))
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const text = name.value
    name.value = ''
    if (!(await change('createCard', { idList: list.id, name: text })))
      document.querySelector(`[data-id="new-${list.id}"]`).value = text
  })
  const section = el('section', {}, heading, el('ul', {}, ...list.cards.map((card) => drawCard(card, labels))), form)
  section.setAttribute('aria-labelledby', heading.id)
  section.addEventListener('dragover', (event) => {
    if (dragged === undefined) return
    event.preventDefault()
    section.classList.add('over')
  })
  section.addEventListener('dragleave', () => section.classList.remove('over'))
  section.addEventListener('drop', (event) => {
    event.preventDefault()
    section.classList.remove('over')
    if (dragged !== undefined)
      void change('moveCard', { idCard: dragged, idList: list.id, pos: positionAt(list, section, event.clientY) })
  })
  return section
}

/** Redraws the lists; the focus and half-written names are kept. */
const draw = () => {
  setOptions(
    at('boards'),
    state.boards.map(({ id, name }) => [id, name]),
  )
  setOptions(
    at('people'),
    state.people.map(({ id, name }) => [id, name]),
  )
  const focused = document.activeElement?.dataset?.id
  const written = new Map(
    [...document.querySelectorAll('form.new input')].map((input) => [input.dataset.id, input.value]),
  )
  const { lists, labels } = board() ?? { lists: [], labels: [] }
  at('lists').replaceChildren(...lists.map((list) => drawList(list, labels)))
  for (const input of document.querySelectorAll('form.new input')) input.value = written.get(input.dataset.id) ?? ''
  if (focused) document.querySelector(`[data-id="${focused}"]`)?.focus()
  if (dialog.open) fillCard()
}

const refresh = async () => {
  const turn = (turns += 1)
  const reply = await fetch('/sandbox/state')
  const text = await reply.text()
  // The answer to an earlier request may arrive after that to a later one, and is older.
  if (!reply.ok || turn < current) return
  current = turn
  if (text === known) return
  known = text
  state = JSON.parse(text)
  // A card that is being dragged must stay in place.
  if (dragged === undefined) draw()
}

const follow = async () => {
  const lost = 'The sandbox does not answer. Check that it is running; this page goes on when it is back.'
  try {
    await refresh()
    if (at('status').textContent === lost) say('')
  } catch {
    say(lost)
  }
  setTimeout(() => void follow(), pollMs)
}

at('boards').addEventListener('change', draw)
at('close').addEventListener('click', () => dialog.close())
dialog.addEventListener('close', () => document.querySelector(`[data-id="${openCard}"]`)?.focus())
at('move').addEventListener('submit', async (event) => {
  event.preventDefault()
  const { value, selectedOptions } = event.target.elements.idList
  const { name } = cardOf(openCard)
  if (!(await change('moveCard', { idCard: openCard, idList: value, pos: 'bottom' }))) return
  dialog.close()
  say(`“${name}” is on the list “${selectedOptions[0].textContent}”.`)
})
at('due').addEventListener('submit', (event) => {
  event.preventDefault()
  const { value } = event.target.elements.due
  void change('updateCard', { idCard: openCard, due: value === '' ? null : new Date(value).toISOString() })
})
at('no-due').addEventListener('click', () => {
  at('due').reset()
  void change('updateCard', { idCard: openCard, due: null })
})
at('comment').addEventListener('submit', async (event) => {
  event.preventDefault()
  if (await change('comment', { idCard: openCard, text: event.target.elements.text.value })) event.target.reset()
})
at('archive').addEventListener('click', async () => {
  const { name } = cardOf(openCard)
  if (await change('archiveCard', { idCard: openCard })) say(`“${name}” is archived.`)
})
void follow()
