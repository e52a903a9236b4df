/** What the document does not show of each step's requests, and the source used instead. */
export const stepAssumptions = {
  'steps.create-card':
    "The document names idList, name, desc, pos, due and idLabels; start, dueComplete, idMembers, urlSource, idCardSource, keepFromSource, address, locationName and coordinates are from the vendor's description, and so is fileSource, a file in a multipart body, where lists are texts with commas. dueReminder is a property of cards that the description does not list among the parameters. Custom fields are set as in steps.set-custom-fields, once the card is made.",
  'steps.update-card':
    "The body of PUT /1/cards/{id} is not shown; property names are the vendor's. That JSON null clears a date or cover, and [] a set of labels or members, is taken from the vendor's words and common use. dueReminder is a property of cards that the description does not list among the parameters. Custom fields and a file are written as in steps.set-custom-fields and steps.attach-file, after the other properties.",
  'steps.get-card': "Query parameters and the shape of a card are not shown; they are the vendor's.",
  'steps.archive-card': 'How a card is archived is not shown; the vendor sets closed to true with PUT /1/cards/{id}.',
  'steps.get-boards':
    "The endpoint that lists boards is not shown; GET /1/members/me/boards and its parameters are the vendor's. It knows no paging, so a part is cut out of the whole answer.",
  'steps.get-list-cards':
    'Parameters of GET /1/lists/{id}/cards are not shown. limit (at most 1000), before, fields and filter are used as observed; pages run by creation from the newest back, and the creation time is the start of the id.',
  'steps.create-list': "The body of POST /1/lists is not shown; name, idBoard, pos and idListSource are the vendor's.",
  'steps.add-comment-to-card': 'The name of the text in the body is not shown; the vendor calls it text.',
  'steps.add-comment': 'As steps.add-comment-to-card; that the legacy step does the same is assumed.',
  'steps.add-checklist':
    "The body of POST /1/checklists is not shown; idCard, name, pos and idChecklistSource are the vendor's.",
  'steps.create-a-checklist-item':
    "The body of POST /1/checklists/{id}/checkItems is not shown; name, pos, checked, due, dueReminder and idMember are the vendor's.",
  'steps.attach-file':
    "POST /1/cards/{id}/attachments is not shown; the parts file, name and setCover are the vendor's, and so is that the answer is one attachment. How large a file may be depends on the plan of the account (10 MB without one is widely reported), so the board decides.",
  'steps.set-custom-fields':
    "PUT /1/cards/{id}/customFields and GET /1/boards/{id}/customFields are not shown; they are the vendor's. That values are written as text whatever the type of the field, and that an empty value with an empty idValue empties a field in this request too, is taken from the vendor's words on one field.",
  'steps.api-call':
    'Which endpoints an agent should not reach is not shown; webhooks (writes), tokens, authorization pages and batch are refused.',
  operations:
    "The document shows a part of the endpoints; the list is from the vendor's description, corrected where the service is known to differ. Parameters that it puts into the query of a write are taken in the body too.",
  ids: "That ids are 24 hexadecimal characters, that paths of cards and boards also take the 8-character short link, and that bodies take ids only, is not shown; it is what the vendor's service does.",
  dates:
    'The form of a date is not shown; full ISO 8601 with a zone is required here, because other forms were seen to be read in another zone.',
  sizes: "Limits on texts are not shown; 16384 characters is the vendor's limit for names, descriptions and comments.",
  records:
    'Response bodies are not shown; only a few fields that recordings of the service agree on are checked, and none but the id is required.',
  dropdowns:
    "The endpoints behind the choices (lists, labels, members, checklists and attachments of a board or card) are partly not shown; they are the vendor's.",
  'steps.move-card':
    "PUT /1/cards/{id} with idList, idBoard and pos is the vendor's; where a card lands without pos is left to the board.",
  'steps.copy-card':
    'POST /1/cards with idCardSource and keepFromSource is the vendor\'s; that "all" keeps every part is its word.',
  'steps.delete-card': "DELETE /1/cards/{id} is the vendor's; the answer is an object without content, as recorded.",
  'steps.get-card-activity':
    "GET /1/cards/{id}/actions is the vendor's; that `before` takes the id of an action, and that the newest come first, is observed.",
  'steps.get-votes': "GET /1/cards/{id}/membersVoted is the vendor's.",
  'steps.add-vote':
    "POST /1/cards/{id}/membersVoted with value is the vendor's; that a token votes for its own member alone, and that the board refuses a second vote, is taken from clients of the service.",
  'steps.remove-vote': "DELETE /1/cards/{id}/membersVoted/{idMember} is the vendor's.",
  'steps.get-card-custom-fields':
    "customFieldItems of GET /1/cards/{id} and GET /1/boards/{id}/customFields are the vendor's; that values are texts whatever their type is observed.",
  'steps.search':
    "GET /1/search and its parameters are the vendor's; the operators (list, label, @, is, due, created, edited, has, sort) are those of its search field, which its documents describe for people. That it lags behind is reported widely.",
  'steps.find-card':
    'Cards and custom fields are read as in Get Board Cards and Get Custom Fields; names are compared here, because the search of the vendor finds words and lags behind.',
  'steps.get-board': "GET /1/boards/{id} with lists, labels, members and customFields is the vendor's.",
  'steps.get-board-activity':
    "GET /1/boards/{id}/actions with filter, since, before and limit (at most 1000) is the vendor's; it selects by no person, so the actions of one are picked here.",
  'steps.get-workspaces': "GET /1/members/me/organizations is the vendor's, who calls workspaces organizations.",
  'steps.create-board': "POST /1/boards and its parameters are the vendor's.",
  'steps.copy-board':
    "POST /1/boards with idBoardSource and keepFromSource is the vendor's; that a copy without them gets no usual lists is taken from its words.",
  'steps.update-board': "PUT /1/boards/{id} and the name prefs/permissionLevel are the vendor's.",
  'steps.close-board': 'The vendor closes a board with closed true in PUT /1/boards/{id}.',
  'steps.delete-board': "DELETE /1/boards/{id} is the vendor's; its answer is not used.",
  'steps.define-custom-field':
    "POST /1/customFields and its parameters are the vendor's; that options is a list of { value: { text }, color } is taken from its guide on custom fields. The vendor says that OAuth 2.0 apps cannot use this endpoint.",
  'steps.update-custom-field':
    "PUT and GET /1/customFields/{id}, and POST and DELETE below its options, are the vendor's. That the body of an option is { value: { text }, color, pos }, and that an option requested alone has its id in _id, is taken from clients of the service. The vendor has no endpoint that changes the text of an option.",
  'steps.delete-custom-field': "DELETE /1/customFields/{id} is the vendor's.",
  'steps.get-custom-fields': "GET /1/boards/{id}/customFields is the vendor's; a board has at most 50.",
  'steps.get-lists':
    "GET /1/boards/{id}/lists with filter is the vendor's; that the order is that of the board is observed.",
  'steps.get-list': "GET /1/lists/{id} is the vendor's; without fields it answers name, closed, idBoard and pos.",
  'steps.update-list': "PUT /1/lists/{id} with name, pos, idBoard, closed and subscribed is the vendor's.",
  'steps.archive-list': 'The vendor archives a list with closed true in PUT /1/lists/{id}.',
  'steps.get-board-cards': "GET /1/boards/{id}/cards is the vendor's; filter, limit and before are used as observed.",
  'steps.move-all-cards':
    "POST /1/lists/{id}/moveAllCards with idBoard and idList is the vendor's; its answer is not used.",
  'steps.archive-all-cards': "POST /1/lists/{id}/archiveAllCards is the vendor's; its answer is not used.",
  'steps.create-cards':
    'As steps.create-card; a card without pos is the last of its list, so that cards made one after another are in order.',
  'steps.move-cards':
    'As steps.move-card and steps.search; cards that are in the list already are recognised by one read of it, at most 1000.',
  'steps.label-cards': 'As steps.add-label-to-card, steps.remove-label-from-card and steps.search.',
  'steps.assign-cards': 'As steps.add-member-to-card, steps.remove-member-from-card and steps.search.',
  'steps.archive-cards': 'As steps.archive-card and steps.search.',
  'steps.get-comments':
    "GET /1/cards/{id}/actions with filter commentCard is the vendor's; that `before` takes the id of a comment is observed.",
  'steps.update-comment':
    "PUT /1/cards/{id}/actions/{idAction}/comments with text is the vendor's; only the author may.",
  'steps.delete-comment': "DELETE /1/cards/{id}/actions/{idAction}/comments is the vendor's.",
  'steps.react-to-comment':
    "POST /1/actions/{idAction}/reactions with shortName is the vendor's; its answer is taken from clients of the service.",
  'steps.get-checklists': "GET /1/cards/{id}/checklists, with the items by default, is the vendor's.",
  'steps.update-checklist': "PUT /1/checklists/{id} with name and pos is the vendor's.",
  'steps.delete-checklist': "DELETE /1/cards/{id}/checklists/{idChecklist} is the vendor's.",
  'steps.update-checklist-item':
    "PUT /1/cards/{id}/checkItem/{idCheckItem} with name, state, idChecklist, pos, due and idMember is the vendor's.",
  'steps.complete-checklist-item':
    'The vendor ticks an item off with state complete in PUT /1/cards/{id}/checkItem/{idCheckItem}.',
  'steps.delete-checklist-item': "DELETE /1/cards/{id}/checkItem/{idCheckItem} is the vendor's.",
  'steps.get-labels':
    "GET /1/boards/{id}/labels is the vendor's; its limit is 50 unless another is given, at most 1000.",
  'steps.get-label': "GET /1/labels/{id} is the vendor's.",
  'steps.create-label':
    "POST /1/labels with name, color and idBoard is the vendor's, and so are the names of the colours.",
  'steps.update-label':
    "PUT /1/labels/{id} with name and color is the vendor's; that JSON null takes the colour away is taken from its words on creating one.",
  'steps.delete-label': "DELETE /1/labels/{id} is the vendor's.",
  'steps.add-label-to-card':
    "POST /1/cards/{id}/idLabels with value is the vendor's; that it refuses a label that is there is observed.",
  'steps.remove-label-from-card': "DELETE /1/cards/{id}/idLabels/{idLabel} is the vendor's.",
  'steps.get-members': "GET /1/boards/{id}/members is the vendor's.",
  'steps.get-member': "GET /1/members/{id} by id, username or me is the vendor's, and so is its limit of 100 in 900 s.",
  'steps.search-members': "GET /1/search/members with query, idBoard and limit (at most 20) is the vendor's.",
  'steps.add-member-to-card': "POST /1/cards/{id}/idMembers with value is the vendor's.",
  'steps.remove-member-from-card': "DELETE /1/cards/{id}/idMembers/{idMember} is the vendor's.",
  'steps.add-member-to-board':
    "PUT /1/boards/{id}/members/{idMember} with type is the vendor's; that it answers the board is observed in clients.",
  'steps.invite-to-board':
    "PUT /1/boards/{id}/members with email, fullName and type is the vendor's; what a second invitation of the same address does is not shown, so none is repeated.",
  'steps.set-member-role':
    "GET /1/boards/{id}/memberships and PUT /1/boards/{id}/memberships/{idMembership} with type are the vendor's.",
  'steps.remove-member-from-board':
    "DELETE /1/boards/{id}/members/{idMember} is the vendor's; that it answers 404 once the person is gone is assumed.",
  'steps.get-attachments': "GET /1/cards/{id}/attachments is the vendor's.",
  'steps.attach-link': "POST /1/cards/{id}/attachments with url, name and setCover is the vendor's.",
  'steps.get-attachment-text': 'As steps.download-attachment; that text is in UTF-8 is assumed.',
  'steps.download-attachment':
    "The address of an upload, /1/cards/{id}/attachments/{idAttachment}/download/{fileName}, and that only credentials in the header open it, are the vendor's; that the name at its end does not choose the file is assumed.",
  'steps.delete-attachment': "DELETE /1/cards/{id}/attachments/{idAttachment} is the vendor's.",
}
