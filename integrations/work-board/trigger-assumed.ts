/**
 * What the document does not show of triggers, and what is assumed instead. The keys are those of the wire profile's
 * `assumed`.
 */
export const triggerAssumptions: { [what: string]: string } = {
  webhooks:
    'How webhooks are registered is not shown. POST, PUT and DELETE /1/webhooks with callbackURL, idModel, description and active, and the list under /1/tokens/{token}/webhooks, are the vendor\'s; that a second registration of the same hook is refused with "already exists" was seen in public reports.',
  deliveries:
    "Payload shapes are not shown. A delivery is { action, model, webhook }; the types of actions and what each holds are from the vendor's list and from recorded deliveries. Unknown types are stored.",
  history:
    'Reading missed events back is not shown. GET /1/boards/{id}/actions and /1/organizations/{id}/actions give actions newest first, at most 1000 at once, walked back with before; kinds of labels, checklist items, comment edits and custom fields are not in them. That the workspace route takes the same parameters as the board route is inferred from their similarity.',
  polling: 'Intervals are not shown; 60 seconds is the default for the two triggers that are not instant.',
  'triggers.new-card':
    'The document says "created on a board". Copies, cards sent in by e-mail, made from a checklist item or moved in from another board count too; the event says which it is.',
  'triggers.card-updated':
    'The document says "any property". Members, attachments, checklists, their items and custom fields, which the board reports as actions of their own, count; comments do not. Of the two deliveries of a label change, the one with the labels before and after counts.',
  'triggers.card-moved':
    'The document says "from one list to another". A move to or from another board counts and is marked; where both boards are watched it counts once.',
  'triggers.card-archived':
    "That archiving is an update that sets closed from false to true is the vendor's; archiving a list archives none of its cards.",
  'triggers.card-due-date-reminder':
    'What "reached" means for cards that come into the lead time late, or after an outage, is not shown: they fire at once and are marked late; a day after the due time they are recorded as missed. Cards marked complete, archived or in an archived list are left out.',
  'triggers.new-comment-added-to-card': 'Edits of comments, and comments copied with a card, are not "added".',
  'triggers.new-member-on-card':
    'That removing and adding again counts each time is assumed; "only me" means the member of the connected account.',
  'triggers.new-label-created': 'No event was seen for the labels that a new board comes with.',
  'triggers.new-label-added-to-card':
    'Labels given when a card is created arrive one by one after the card, and count.',
  'triggers.new-checklist': 'A checklist copied with its card arrives as another type of action and does not count.',
  'triggers.new-board':
    "Deliveries of workspaces were not recorded. createBoard, copyBoard and addToOrganizationBoard are taken to report a new board, one start for each board. Without a workspace the account's boards are polled, because a member's own webhook reports only boards that this member creates.",
  'triggers.new-board-activity':
    "Which activity types the filter offers is not shown: the vendor's names, and kinds (create, update, delete, other) that group them.",
  'triggers.new-notification':
    "GET /1/members/me/notifications with since (an id), before and limit is the vendor's; newest first. The first poll only sets a baseline.",
  'triggers.new-attachment':
    "An uploaded file is distinguished from a link by its address, which contains the attachment's id.",
  'triggers.card-unarchived': "That restoring is an update that sets closed from true to false is the vendor's.",
  'triggers.card-deleted': 'deleteCard names the card by id and short link, without its name, as recorded.',
  'triggers.card-due-date-changed':
    'That a change of the due date is an update whose old value names due, and null is no date, is recorded.',
  'triggers.mentioned-in-a-comment':
    'That a mention is @ and the user name, of letters, digits and underscores, is taken from what comments hold; @card and @board name nobody.',
  'triggers.comment-edited':
    'updateComment with the comment as action and its former text as old is recorded; lists of actions leave it out.',
  'triggers.member-removed-from-card':
    'That members who are taken off a board leave its cards without an event is assumed.',
  'triggers.label-removed-from-card': 'removeLabelFromCard is recorded; lists of actions leave it out.',
  'triggers.checklist-item-completed':
    'updateCheckItemStateOnCard with the state complete is recorded. That an item created as done, or from a card, makes no such action is assumed.',
  'triggers.checklist-completed':
    'The board has no event for it: the items of the checklist and the earlier ticks of the card are read, and the tick that left nothing open counts.',
  'triggers.custom-field-changed':
    "updateCustomFieldItem was not recorded whole; that it names customField and customFieldItem with value or idValue is the vendor's. Lists of actions leave it out.",
  'triggers.new-list': 'createList and moveListToBoard are taken to report a new list.',
  'triggers.list-updated': 'updateList with old values is recorded; "pos" is the place on the board.',
  'triggers.board-closed': 'The vendor closes a board by an update that sets closed from false to true.',
  'triggers.custom-webhook-events':
    'How filters combine is not shown: all given ones must hold. A move counts for the list left and the list entered.',
}
