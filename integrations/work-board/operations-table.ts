// Made by scripts/board-operations.ts from the vendor's description of the API. The notation is that of operations.ts.

/** Choices that several parameters share. */
export const choices: { [name: string]: string } = {
  ActionFields: 'id,idMemberCreator,data,type,date,limits,display,memberCreator',
  BoardFields:
    'id,name,desc,descData,closed,idMemberCreator,idOrganization,pinned,url,shortUrl,prefs,labelNames,starred,limits,memberships,enterpriseOwned',
  CardFields:
    'id,address,badges,checkItemStates,closed,coordinates,creationMethod,dueComplete,dateLastActivity,desc,descData,due,dueReminder,idBoard,idChecklists,idLabels,idList,idMembers,idMembersVoted,idShort,idAttachmentCover,labels,limits,locationName,manualCoverAttachment,name,pos,shortLink,shortUrl,subscribed,url,cover,isTemplate',
  ViewFilter: 'all,closed,none,open',
  AttachmentFields: 'id,bytes,date,edgeColor,idMember,isUpload,mimeType,name,previews,url,pos',
  posStringOrNumber: 'top,bottom',
  Color:
    'yellow,purple,blue,red,green,orange,black,sky,pink,lime,yellow_light,yellow_dark,purple_light,purple_dark,blue_light,blue_dark,red_light,red_dark,green_light,green_dark,orange_light,orange_dark,black_light,black_dark,sky_light,sky_dark,pink_light,pink_dark,lime_light,lime_dark',
  Channel: 'email',
  BlockedKey:
    'notification_comment_card,notification_added_a_due_date,notification_changed_due_date,notification_card_due_soon,notification_removed_from_card,notification_added_attachment_to_card,notification_created_card,notification_moved_card,notification_archived_card,notification_unarchived_card',
  NotificationFields: 'id,unread,type,date,dateRead,data,card,board,idMemberCreator,idAction,reactions',
  TokenFields: 'identifier,idMember,dateCreated,dateExpires,permissions',
}

/** One operation per line, so that a change of the vendor's shows as a change of its line. */
export const table = `
GET /1/actions/{id} | Get an Action | display:boolean entities:boolean fields[] member:boolean memberCreator:boolean memberCreator_fields[] member_fields[]
PUT /1/actions/{id} | Update an Action | text!
DELETE /1/actions/{id} | Delete an Action |
GET /1/actions/{id}/{field} | Get a specific field on an Action | {field}=$ActionFields
GET /1/actions/{id}/board | Get the Board for an Action | fields[]=$BoardFields
GET /1/actions/{id}/card | Get the Card for an Action | fields[]=$CardFields
GET /1/actions/{id}/list | Get the List for an Action | fields[]
GET /1/actions/{id}/member | Get the Member of an Action | fields[]
GET /1/actions/{id}/memberCreator | Get the Member Creator of an Action | fields[]
GET /1/actions/{id}/organization | Get the Organization of an Action | fields[]
PUT /1/actions/{id}/text | Update a Comment Action | value!
GET /1/actions/{idAction}/reactions | Get Action's Reactions | emoji:boolean member:boolean
POST /1/actions/{idAction}/reactions | Create Reaction for Action | native@body shortName@body skinVariation@body unified@body
GET /1/actions/{idAction}/reactions/{id} | Get Action's Reaction | emoji:boolean member:boolean
DELETE /1/actions/{idAction}/reactions/{id} | Delete Action's Reaction |
GET /1/actions/{idAction}/reactionsSummary | List Action's summary of Reactions |
GET /1/applications/{key}/compliance | Get Application's compliance data |
GET /1/batch | Batch Requests | urls!
GET /1/boards/{id}/memberships | Get Memberships of a Board | activity:boolean filter=admins,all,none,normal member:boolean member_fields[] orgMemberType:boolean
GET /1/boards/{id} | Get a Board | actions boardStars card_pluginData:boolean cards checklists customFields:boolean fields[] labels lists members memberships myPrefs:boolean organization:boolean organization_pluginData:boolean pluginData:boolean tags:boolean
PUT /1/boards/{id} | Update a Board | closed:boolean desc idOrganization name prefs/background prefs/calendarFeedEnabled:boolean prefs/cardAging prefs/cardCovers:boolean prefs/comments prefs/hideVotes:boolean prefs/invitations prefs/permissionLevel prefs/selfJoin:boolean prefs/voting subscribed:boolean
DELETE /1/boards/{id} | Delete a Board |
GET /1/boards/{id}/{field} | Get a field on a Board |
GET /1/boards/{boardId}/actions | Get Actions of a Board | before fields[] filter format idModels limit:number member:boolean memberCreator:boolean memberCreator_fields[] member_fields[] page:number reactions:boolean since
GET /1/boards/{boardId}/boardStars | Get boardStars on a Board | filter
GET /1/boards/{id}/checklists | Get Checklists on a Board |
GET /1/boards/{id}/cards | Get Cards on a Board | before customFieldItems:boolean fields[] filter limit:integer since
GET /1/boards/{id}/cards/{filter} | Get filtered Cards on a Board | {filter}=all,closed,complete,incomplete,none,open,visible
GET /1/boards/{id}/customFields | Get Custom Fields for Board |
GET /1/boards/{id}/labels | Get Labels on a Board | fields[] limit:integer
POST /1/boards/{id}/labels | Create a Label on a Board | color! name!
GET /1/boards/{id}/lists | Get Lists on a Board | card_fields[] cards=$ViewFilter fields[] filter=$ViewFilter
POST /1/boards/{id}/lists | Create a List on a Board | name! pos:any
GET /1/boards/{id}/lists/{filter} | Get filtered Lists on a Board | {filter}=$ViewFilter
GET /1/boards/{id}/members | Get the Members of a Board |
PUT /1/boards/{id}/members | Invite Member to Board via email | email! fullName@body type=admin,normal,observer
PUT /1/boards/{id}/members/{idMember} | Add a Member to a Board | type!=admin,normal,observer allowBillableGuest:boolean
DELETE /1/boards/{id}/members/{idMember} | Remove Member from Board |
PUT /1/boards/{id}/memberships/{idMembership} | Update Membership of Member on a Board | type!=admin,normal,observer member_fields[]=all,avatarHash,bio,bioData,confirmed,fullName,idPremOrgsAdmin,initials,memberType,products,status,url,username
PUT /1/boards/{id}/myPrefs/emailPosition | Update emailPosition Pref on a Board | value!=bottom,top
PUT /1/boards/{id}/myPrefs/idEmailList | Update idEmailList Pref on a Board | value!
PUT /1/boards/{id}/myPrefs/showSidebar | Update showSidebar Pref on a Board | value!:boolean
PUT /1/boards/{id}/myPrefs/showSidebarActivity | Update showSidebarActivity Pref on a Board | value!:boolean
PUT /1/boards/{id}/myPrefs/showSidebarBoardActions | Update showSidebarBoardActions Pref on a Board | value!:boolean
PUT /1/boards/{id}/myPrefs/showSidebarMembers | Update showSidebarMembers Pref on a Board | value!:boolean
POST /1/boards | Create a Board | name! defaultLabels:boolean defaultLists:boolean desc idBoardSource idOrganization keepFromSource=cards,none powerUps=all,calendar,cardAging,recap,voting prefs_background=blue,orange,green,red,purple,pink,lime,sky,grey prefs_cardAging=pirate,regular prefs_cardCovers:boolean prefs_comments=disabled,members,observers,org,public prefs_invitations=members,admins prefs_permissionLevel=org,private,public prefs_selfJoin:boolean prefs_voting=disabled,members,observers,org,public
POST /1/boards/{id}/calendarKey/generate | Create a calendarKey for a Board |
POST /1/boards/{id}/emailKey/generate | Create a emailKey for a Board |
POST /1/boards/{id}/idTags | Create a Tag for a Board | value!
POST /1/boards/{id}/markedAsViewed ~update | Mark Board as viewed |
GET /1/boards/{id}/boardPlugins | Get Enabled Power-Ups on Board |
POST /1/boards/{id}/boardPlugins | Enable a Power-Up on a Board | idPlugin
DELETE /1/boards/{id}/boardPlugins/{idPlugin} | Disable a Power-Up on a Board |
GET /1/boards/{id}/plugins | Get Power-Ups on a Board | filter=enabled,available
POST /1/cards | Create a new Card | idList! address cardRole=separator,board,mirror,link coordinates desc due dueComplete:boolean dueReminder:integer fileSource idCardSource idLabels[] idMembers[] keepFromSource[]=all,attachments,checklists,comments,customFields,due,start,labels,members,stickers locationName mimeType name pos:any=top,bottom start urlSource
GET /1/cards/{id} | Get a Card | actions attachment_fields[] attachments:any=cover board:boolean board_fields[] checkItemStates:boolean checklist_fields[] checklists customFieldItems:boolean fields[] list:boolean memberVoted_fields[] member_fields[] members:boolean membersVoted:boolean pluginData:boolean sticker_fields[] stickers:boolean
PUT /1/cards/{id} | Update a Card | address closed:boolean coordinates cover:object desc due dueComplete:boolean dueReminder:integer idAttachmentCover idBoard idLabels[] idList idMembers[] locationName name pos:any=top,bottom start subscribed:boolean
DELETE /1/cards/{id} | Delete a Card |
GET /1/cards/{id}/{field} | Get a field on a Card | {field}=$CardFields
GET /1/cards/{id}/actions | Get Actions on a Card | before filter limit:integer page:number since
GET /1/cards/{id}/attachments | Get Attachments on a Card | fields[] filter
POST /1/cards/{id}/attachments | Create Attachment On Card | file mimeType name setCover:boolean url
GET /1/cards/{id}/attachments/{idAttachment} | Get an Attachment on a Card | fields[]=$AttachmentFields
DELETE /1/cards/{id}/attachments/{idAttachment} | Delete an Attachment on a Card |
GET /1/cards/{id}/board | Get the Board the Card is on | fields[]
GET /1/cards/{id}/checkItemStates | Get checkItems on a Card | fields[]
GET /1/cards/{id}/checklists | Get Checklists on a Card | checkItem_fields[]=name,nameData,pos,state,type,due,dueReminder,idMember checkItems=all,none fields[]=all,name,nameData,pos,state,type filter=all,none
POST /1/cards/{id}/checklists | Create Checklist on a Card | idChecklistSource name pos:any
GET /1/cards/{id}/checkItem/{idCheckItem} | Get checkItem on a Card | fields[]
PUT /1/cards/{id}/checkItem/{idCheckItem} | Update a checkItem on a Card | due dueReminder:number idChecklist idMember name pos:any=$posStringOrNumber state=complete,incomplete
DELETE /1/cards/{id}/checkItem/{idCheckItem} | Delete checkItem on a Card |
GET /1/cards/{id}/list | Get the List of a Card | fields[]
GET /1/cards/{id}/members | Get the Members of a Card | fields[]
GET /1/cards/{id}/membersVoted | Get Members who have voted on a Card | fields[]
POST /1/cards/{id}/membersVoted | Add Member vote to Card | value!
GET /1/cards/{id}/pluginData | Get pluginData on a Card |
GET /1/cards/{id}/stickers | Get Stickers on a Card | fields[]
POST /1/cards/{id}/stickers | Add a Sticker to a Card | image! left!:number top!:number zIndex!:integer rotate:number
GET /1/cards/{id}/stickers/{idSticker} | Get a Sticker on a Card | fields[]
PUT /1/cards/{id}/stickers/{idSticker} | Update a Sticker on a Card | left!:number top!:number zIndex!:integer rotate:number
DELETE /1/cards/{id}/stickers/{idSticker} | Delete a Sticker on a Card |
PUT /1/cards/{id}/actions/{idAction}/comments | Update Comment Action on a Card | text!
DELETE /1/cards/{id}/actions/{idAction}/comments | Delete a comment on a Card |
PUT /1/cards/{idCard}/customField/{idCustomField}/item | Update Custom Field item on Card | idValue@body value:object@body
PUT /1/cards/{idCard}/customFields | Update Multiple Custom Field items on Card | customFieldItems:object[]@body
GET /1/cards/{id}/customFieldItems | Get Custom Field Items for a Card |
POST /1/cards/{id}/actions/comments | Add a new comment to a Card | text!
POST /1/cards/{id}/idLabels | Add a Label to a Card | value
POST /1/cards/{id}/idMembers | Add a Member to a Card | value
POST /1/cards/{id}/labels | Create a new Label on a Card | color! name
POST /1/cards/{id}/markAssociatedNotificationsRead ~update | Mark a Card's Notifications as read |
DELETE /1/cards/{id}/idLabels/{idLabel} | Remove a Label from a Card |
DELETE /1/cards/{id}/idMembers/{idMember} | Remove a Member from a Card |
DELETE /1/cards/{id}/membersVoted/{idMember} | Remove a Member's Vote on a Card |
PUT /1/cards/{idCard}/checklist/{idChecklist}/checkItem/{idCheckItem} | Update Checkitem on Checklist on Card | pos:any=$posStringOrNumber
DELETE /1/cards/{id}/checklists/{idChecklist} | Delete a Checklist on a Card |
POST /1/checklists | Create a Checklist | idCard! idChecklistSource name pos:any=$posStringOrNumber
GET /1/checklists/{id} | Get a Checklist | cards=all,closed,none,open,visible checkItem_fields[]=all,name,nameData,pos,state,type,due,dueReminder,idMember checkItems=all,none fields[]
PUT /1/checklists/{id} | Update a Checklist | name pos:any=$posStringOrNumber
DELETE /1/checklists/{id} | Delete a Checklist |
GET /1/checklists/{id}/{field} | Get field on a Checklist | {field}=name,pos
PUT /1/checklists/{id}/{field} | Update field on a Checklist | {field}=name,pos value!:any=$posStringOrNumber
GET /1/checklists/{id}/board | Get the Board the Checklist is on | fields[]=all,name
GET /1/checklists/{id}/cards | Get the Card a Checklist is on |
GET /1/checklists/{id}/checkItems | Get Checkitems on a Checklist | fields[]=all,name,nameData,pos,state,type,due,dueReminder,idMember filter=all,none
POST /1/checklists/{id}/checkItems | Create Checkitem on Checklist | name! checked:boolean due dueReminder:number idMember pos:any=$posStringOrNumber
GET /1/checklists/{id}/checkItems/{idCheckItem} | Get a Checkitem on a Checklist | fields[]=all,name,nameData,pos,state,type,due,dueReminder,idMember
DELETE /1/checklists/{id}/checkItems/{idCheckItem} | Delete Checkitem from Checklist |
POST /1/customFields | Create a new Custom Field on a Board | idModel!@body modelType!@body=board name!@body pos!:any@body=$posStringOrNumber type!@body=checkbox,list,number,text,date display_cardFront:boolean@body options:object[]@body
GET /1/customFields/{id} | Get a Custom Field |
PUT /1/customFields/{id} | Update a Custom Field definition | display/cardFront:boolean@body name@body pos:any@body=$posStringOrNumber
DELETE /1/customFields/{id} | Delete a Custom Field definition |
GET /1/customFields/{id}/options | Get Options of Custom Field drop down |
POST /1/customFields/{id}/options | Add Option to Custom Field dropdown | value!:object@body color@body pos:any@body
GET /1/customFields/{id}/options/{idCustomFieldOption} | Get Option of Custom Field dropdown |
DELETE /1/customFields/{id}/options/{idCustomFieldOption} | Delete Option of Custom Field dropdown |
GET /1/emoji | List available Emoji | locale spritesheets:boolean
GET /1/enterprises/{id} | Get an Enterprise | fields[] member_count:integer member_fields[] member_filter member_sort member_sortBy member_sortOrder member_startIndex:integer members organization_fields[] organization_memberships organization_paid_accounts:boolean organizations
GET /1/enterprises/{id}/auditlog | Get auditlog data for an Enterprise |
GET /1/enterprises/{id}/admins | Get Enterprise admin Members | fields[]
GET /1/enterprises/{id}/signupUrl | Get signupUrl for Enterprise | authenticate:boolean confirmationAccepted:boolean returnUrl tosAccepted:boolean
GET /1/enterprises/{id}/members/query | Get Users of an Enterprise | activeSince admin:boolean collaborator:boolean cursor deactivated:boolean inactiveSince licensed:boolean managed:boolean search
GET /1/enterprises/{id}/members | Get Members of Enterprise | board_fields[] count fields[] filter organization_fields[] sort sortBy sortOrder=ascending,descending,asc,desc startIndex:integer
GET /1/enterprises/{id}/members/{idMember} | Get a Member of Enterprise | board_fields[] fields[] organization_fields[]
GET /1/enterprises/{id}/transferrable/organization/{idOrganization} | Get whether an organization can be transferred to an enterprise |
GET /1/enterprises/{id}/transferrable/bulk/{idOrganizations} | Get a bulk list of organizations that can be transferred to an enterprise |
PUT /1/enterprises/{id}/enterpriseJoinRequest/bulk | Decline enterpriseJoinRequests from one organization or a bulk list of organizations | idOrganizations![]
GET /1/enterprises/{id}/claimableOrganizations | Get ClaimableOrganizations of an Enterprise | activeSince cursor inactiveSince limit:integer name
GET /1/enterprises/{id}/pendingOrganizations | Get PendingOrganizations of an Enterprise | activeSince inactiveSince
POST /1/enterprises/{id}/tokens | Create an auth Token for an Enterprise | expiration
GET /1/enterprises/{id}/organizations | Get Organizations of an Enterprise | count:integer fields[] filter startIndex:integer
PUT /1/enterprises/{id}/organizations | Transfer an Organization to an Enterprise | idOrganization!
PUT /1/enterprises/{id}/members/{idMember}/licensed | Update a Member's licensed status | value!:boolean
PUT /1/enterprises/{id}/members/{idMember}/deactivated | Deactivate a Member of an Enterprise | value!:boolean board_fields[]=$BoardFields fields[] organization_fields[]
PUT /1/enterprises/{id}/admins/{idMember} | Update Member to be admin of Enterprise |
DELETE /1/enterprises/{id}/admins/{idMember} | Remove a Member as admin from Enterprise |
DELETE /1/enterprises/{id}/organizations/{idOrg} | Delete an Organization from an Enterprise |
GET /1/enterprises/{id}/organizations/bulk/{idOrganizations} ~update | Bulk accept a set of organizations to an Enterprise |
GET /1/labels/{id} | Get a Label | fields[]
PUT /1/labels/{id} | Update a Label | color=$Color name
DELETE /1/labels/{id} | Delete a Label |
PUT /1/labels/{id}/{field} | Update a field on a label | {field}=color,name value!
POST /1/labels | Create a Label | color!=$Color idBoard! name!
GET /1/lists/{id} | Get a List | fields[]
PUT /1/lists/{id} | Update a List | closed:boolean idBoard name pos:any=top,bottom subscribed:boolean
POST /1/lists | Create a new List | idBoard! name! idListSource pos:any=top,bottom
POST /1/lists/{id}/archiveAllCards ~update | Archive all Cards in List |
POST /1/lists/{id}/moveAllCards ~update | Move all Cards in List | idBoard! idList!
PUT /1/lists/{id}/closed | Archive or unarchive a list | value:boolean
PUT /1/lists/{id}/idBoard | Move List to Board | value!
PUT /1/lists/{id}/{field} | Update a field on a List | {field}=name,pos,subscribed value:any
GET /1/lists/{id}/actions | Get Actions for a List | filter
GET /1/lists/{id}/board | Get the Board a List is on | fields[]
GET /1/lists/{id}/cards | Get Cards in a List | before fields[] filter limit:integer since
GET /1/members/{id} | Get a Member | actions boardBackgrounds=all,custom,default,none,premium boardStars:boolean boards boardsInvited=closed,members,open,organization,pinned,public,starred,unpinned boardsInvited_fields[]=$BoardFields cards customBoardBackgrounds=all,none customEmoji=all,none customStickers=all,none fields[] notifications organization_fields[] organization_paid_account:boolean organizations=all,members,none,public organizationsInvited=all,members,none,public organizationsInvited_fields[] paid_account:boolean savedSearches:boolean tokens=all,none
PUT /1/members/{id} | Update a Member | avatarSource=gravatar,none,upload bio fullName initials prefs/colorBlind:boolean prefs/locale prefs/minutesBetweenSummaries:integer username
GET /1/members/{id}/{field} | Get a field on a Member |
GET /1/members/{id}/actions | Get a Member's Actions | filter
GET /1/members/{id}/boardBackgrounds | Get Member's custom Board backgrounds | filter=all,custom,default,none,premium
POST /1/members/{id}/boardBackgrounds | Upload new boardBackground for Member | file!
GET /1/members/{id}/boardBackgrounds/{idBackground} | Get a boardBackground of a Member | fields[]=all,brightness,fullSizeUrl,scaled,tile
PUT /1/members/{id}/boardBackgrounds/{idBackground} | Update a Member's custom Board background | brightness=dark,light,unknown tile:boolean
DELETE /1/members/{id}/boardBackgrounds/{idBackground} | Delete a Member's custom Board background |
GET /1/members/{id}/boardStars | Get a Member's boardStars |
POST /1/members/{id}/boardStars | Create Star for Board | idBoard! pos!:any=$posStringOrNumber
GET /1/members/{id}/boardStars/{idStar} | Get a boardStar of Member |
PUT /1/members/{id}/boardStars/{idStar} | Update the position of a boardStar of Member | pos:any=$posStringOrNumber
DELETE /1/members/{id}/boardStars/{idStar} | Delete Star for Board |
GET /1/members/{id}/boards | Get Boards that Member belongs to | fields[]=$BoardFields filter=all,closed,members,open,organization,public,starred lists=all,closed,none,open organization:boolean organization_fields[]
GET /1/members/{id}/boardsInvited | Get Boards the Member has been invited to | fields[]=$BoardFields
GET /1/members/{id}/cards | Get Cards the Member is on | filter=all,closed,complete,incomplete,none,open,visible
GET /1/members/{id}/customBoardBackgrounds | Get a Member's custom Board Backgrounds |
POST /1/members/{id}/customBoardBackgrounds | Create a new custom Board Background | file!
GET /1/members/{id}/customBoardBackgrounds/{idBackground} | Get custom Board Background of Member |
PUT /1/members/{id}/customBoardBackgrounds/{idBackground} | Update custom Board Background of Member | brightness=dark,light,unknown tile:boolean
DELETE /1/members/{id}/customBoardBackgrounds/{idBackground} | Delete custom Board Background of Member |
GET /1/members/{id}/customEmoji | Get a Member's customEmojis |
POST /1/members/{id}/customEmoji | Create custom Emoji for Member | file! name!
GET /1/members/{id}/customEmoji/{idEmoji} | Get a Member's custom Emoji | fields[]=name,url,all
GET /1/members/{id}/customStickers | Get Member's custom Stickers |
POST /1/members/{id}/customStickers | Create custom Sticker for Member | file!
GET /1/members/{id}/customStickers/{idSticker} | Get a Member's custom Sticker | fields[]=scaled,url,all
DELETE /1/members/{id}/customStickers/{idSticker} | Delete a Member's custom Sticker |
GET /1/members/{id}/notifications | Get Member's Notifications | before display:boolean entities:boolean fields[] filter limit:integer memberCreator:boolean memberCreator_fields[] page:integer read_filter since
GET /1/members/{id}/organizations | Get Member's Organizations | fields[] filter=all,members,none,public paid_account:boolean
GET /1/members/{id}/organizationsInvited | Get Organizations a Member has been invited to | fields[]
GET /1/members/{id}/savedSearches | Get Member's saved searched |
POST /1/members/{id}/savedSearches | Create saved Search for Member | name! pos!:any=$posStringOrNumber query!
GET /1/members/{id}/savedSearches/{idSearch} | Get a saved search |
PUT /1/members/{id}/savedSearches/{idSearch} | Update a saved search | name pos:any query
DELETE /1/members/{id}/savedSearches/{idSearch} | Delete a saved search |
GET /1/members/{id}/tokens | Get Member's Tokens | webhooks:boolean
POST /1/members/{id}/avatar | Create Avatar for Member | file!
POST /1/members/{id}/oneTimeMessagesDismissed | Dismiss a message for Member | value!
GET /1/members/{id}/notificationsChannelSettings | Get a Member's notification channel settings |
PUT /1/members/{id}/notificationsChannelSettings | Update blocked notification keys of Member on a channel | blockedKeys![]@body channel!@body=$Channel
GET /1/members/{id}/notificationsChannelSettings/{channel} | Get blocked notification keys of Member on this channel | {channel}=$Channel
PUT /1/members/{id}/notificationsChannelSettings/{channel} | Update blocked notification keys of Member on a channel | blockedKeys![]@body {channel}=$Channel
PUT /1/members/{id}/notificationsChannelSettings/{channel}/{blockedKeys} | Update blocked notification keys of Member on a channel | {blockedKeys}=$BlockedKey {channel}=$Channel
GET /1/notifications/{id} | Get a Notification | board:boolean board_fields[]=$BoardFields card:boolean card_fields[]=$CardFields display:boolean entities:boolean fields[]=$NotificationFields list:boolean member:boolean memberCreator:boolean memberCreator_fields[] member_fields[] organization:boolean organization_fields[]
PUT /1/notifications/{id} | Update a Notification's read status | unread:boolean
GET /1/notifications/{id}/{field} | Get a field of a Notification | {field}=$NotificationFields
POST /1/notifications/all/read ~update | Mark all Notifications as read | ids[] read:boolean
PUT /1/notifications/{id}/unread | Update Notification's read status | value:any
GET /1/notifications/{id}/board | Get the Board a Notification is on | fields[]=$BoardFields
GET /1/notifications/{id}/card | Get the Card a Notification is on | fields[]=$CardFields
GET /1/notifications/{id}/list | Get the List a Notification is on | fields[]
GET /1/notifications/{id}/member | Get the Member a Notification is about (not the creator) | fields[]
GET /1/notifications/{id}/memberCreator | Get the Member who created the Notification | fields[]
GET /1/notifications/{id}/organization | Get a Notification's associated Organization | fields[]
POST /1/organizations | Create a new Organization | displayName! desc name website
GET /1/organizations/{id} | Get an Organization |
PUT /1/organizations/{id} | Update an Organization | desc displayName name prefs/associatedDomain prefs/boardVisibilityRestrict/org prefs/boardVisibilityRestrict/private prefs/boardVisibilityRestrict/public prefs/externalMembersDisabled:boolean prefs/googleAppsVersion:integer prefs/orgInviteRestrict prefs/permissionLevel website
DELETE /1/organizations/{id} | Delete an Organization |
GET /1/organizations/{id}/{field} | Get field on Organization |
GET /1/organizations/{id}/actions | Get Actions for Organization |
GET /1/organizations/{id}/boards | Get Boards in an Organization | fields[]=$BoardFields filter=all,open,closed,members,organization,public
GET /1/organizations/{id}/exports | Retrieve Organization's Exports |
POST /1/organizations/{id}/exports | Create Export for Organizations | attachments:boolean
GET /1/organizations/{id}/members | Get the Members of an Organization |
PUT /1/organizations/{id}/members | Update an Organization's Members | email! fullName! type=admin,normal
GET /1/organizations/{id}/memberships | Get Memberships of an Organization | filter[]=all,active,admin,deactivated,me,normal member:boolean
GET /1/organizations/{id}/memberships/{idMembership} | Get a Membership of an Organization | member:boolean
GET /1/organizations/{id}/pluginData | Get the pluginData Scoped to Organization |
GET /1/organizations/{id}/tags | Get Tags of an Organization |
POST /1/organizations/{id}/tags | Create a Tag in Organization |
PUT /1/organizations/{id}/members/{idMember} | Update a Member of an Organization | type!=admin,normal
DELETE /1/organizations/{id}/members/{idMember} | Remove a Member from an Organization |
PUT /1/organizations/{id}/members/{idMember}/deactivated | Deactivate or reactivate a member of an Organization | value!:boolean
POST /1/organizations/{id}/logo | Update logo for an Organization | file
DELETE /1/organizations/{id}/logo | Delete Logo for Organization |
DELETE /1/organizations/{id}/members/{idMember}/all | Remove a Member from an Organization and all Organization Boards |
DELETE /1/organizations/{id}/prefs/associatedDomain | Remove the associated Google Apps domain from a Workspace |
DELETE /1/organizations/{id}/prefs/orgInviteRestrict | Delete the email domain restriction on who can be invited to the Workspace |
DELETE /1/organizations/{id}/tags/{idTag} | Delete an Organization's Tag |
GET /1/organizations/{id}/newBillableGuests/{idBoard} | Get Organizations new billable guests |
GET /1/plugins/{id} | Get a Plugin |
PUT /1/plugins/{id} | Update a Plugin |
POST /1/plugins/{idPlugin}/listing | Create a Listing for Plugin | description@body locale@body name@body overview@body
GET /1/plugins/{id}/compliance/memberPrivacy | Get Plugin's Member privacy compliance |
PUT /1/plugins/{idPlugin}/listings/{idListing} | Updating Plugin's Listing | description@body locale@body name@body overview@body
GET /1/search | Search Trello | query! board_fields[] board_organization:boolean boards_limit:integer card_attachments card_board:boolean card_fields[] card_list:boolean card_members:boolean card_stickers:boolean cards_limit:integer cards_page:number idBoards[]=mine idCards[] idOrganizations[] member_fields[] members_limit:integer modelTypes organization_fields[] organizations_limit:integer partial:boolean
GET /1/search/members | Search for Members | query! idBoard idOrganization limit:integer onlyOrgMembers:boolean
GET /1/tokens/{token} | Get a Token | fields[]=$TokenFields webhooks:boolean
GET /1/tokens/{token}/member | Get Token's Member | fields[]
GET /1/tokens/{token}/webhooks | Get Webhooks for Token |
POST /1/tokens/{token}/webhooks | Create Webhooks for Token | callbackURL! idModel! description
GET /1/tokens/{token}/webhooks/{idWebhook} | Get a Webhook belonging to a Token |
DELETE /1/tokens/{token}/webhooks/{idWebhook} | Delete a Webhook created by Token |
DELETE /1/tokens/{token} | Delete a Token |
POST /1/webhooks | Create a Webhook | callbackURL! idModel! active:boolean description
GET /1/webhooks/{id} | Get a Webhook |
PUT /1/webhooks/{id} | Update a Webhook | active:boolean callbackURL description idModel
DELETE /1/webhooks/{id} | Delete a Webhook |
GET /1/webhooks/{id}/{field} | Get a field on a Webhook | {field}=active,callbackURL,description,idModel,consecutiveFailures,firstConsecutiveFailDate
`
