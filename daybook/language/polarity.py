"""
The closed list of polarity words: leave one out, or swap two, and a sentence says something else.

Negations, limits, order, switches, hedges, conditions, and words that take back what was said. `a=b,c` lists forms of
one word, `_` stands for a space. A language's `doubtful` words are ordinary words elsewhere, so they count only in a
text that holds one of its `marks`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    """
    Polarity words of one language.

    Attributes:
        words: Count in every text.
        doubtful: Count only where a mark stands.
        marks: Frequent words that only this language has.
    """

    words: str
    doubtful: str = ""
    marks: str = ""


ENGLISH = Language(
    """
    not=cannot,dont,doesnt,didnt,cant,wont,isnt,arent,wasnt,werent,shouldnt,wouldnt,couldnt,mustnt,hasnt,havent,hadnt,ain't
    never no none nobody nothing nowhere nor neither no_one no_longer not_yet not_any_more anymore hardly barely
    scarcely seldom=rarely without lack=lacks,lacking,lacked fail=fails,failed,failing,failure
    refuse=refuses,refused,refusing reject=rejects,rejected,rejecting deny=denies,denied,denying
    forbid=forbids,forbidden,forbidding prohibit=prohibits,prohibited ban=bans,banned
    avoid=avoids,avoided,avoiding exclude=excludes,excluded,excluding prevent=prevents,prevented
    ignore=ignores,ignored,ignoring skip=skips,skipped,skipping only just solely exclusively at_least at_most
    up_to more_than less_than fewer_than no_more_than no_less_than over under above below max=maximum,maximal
    min=minimum,minimal limit=limits,limited until=till,'til except=excepted,excepting,exception but however
    although though yet nevertheless nonetheless besides other_than apart_from aside_from alone some several most
    few half almost nearly approximately=approx exactly always sometimes often
    usually=normally,generally,typically mostly=mainly occasionally again once twice still already before after
    first last then next later earlier previously=formerly since during while instead rather instead_of
    rather_than in_favour_of in_favor_of used_to more less on off up down enable=enables,enabled,enabling
    disable=disables,disabled,disabling activate=activates,activated deactivate=deactivates,deactivated
    allow=allows,allowed,allowing permit=permits,permitted block=blocks,blocked,blocking
    start=starts,started,starting stop=stops,stopped,stopping remove=removes,removed
    increase=increases,increased,raise,raised,raises
    decrease=decreases,decreased,reduce,reduced,reduces,lower,lowered accept=accepts,accepted
    approve=approves,approved include=includes,included,including true false yes right wrong=wrongly incorrect
    mistake=mistaken,mistakes inactive active required optional unnecessary needless if unless whether when
    whenever provided assuming otherwise else or either in_case as_long_as as_soon_as may might
    maybe=perhaps,possibly probably=likely,presumably unlikely could would should must shall ought
    need_to=needs_to have_to=has_to,had_to plan=plans,planned,planning intend=intends,intended
    consider=considers,considered,considering propose=proposes,proposed suggest=suggests,suggested
    hope=hopes,hoped try=tries,tried,trying wish=wishes going_to about_to supposed=supposedly alleged=allegedly
    apparently seem=seems,seemed,seemingly appear=appears,appeared assume=assumes,assumed guess=guessed
    believe=believes,believed think=thinks,thought doubt=doubts,doubtful unsure uncertain unclear undecided
    unknown tentative=tentatively draft hypothetical=hypothetically example=e.g pretend=pretended
    joke=joking,jokes kidding sarcastic cancel=cancels,cancelled,canceled revoke=revokes,revoked
    withdraw=withdrawn,withdrew retract=retracts,retracted undo=undone revert=reverts,reverted obsolete=outdated
    deprecated supersede=superseded replace=replaces,replaced postpone=postponed,postpones
    """
)

GERMAN = Language(
    """
    nicht=nich nie=niemals,nimmer kein=keine,keinen,keinem,keiner,keines,keinerlei nichts
    niemand=niemanden,niemandem nirgends weder noch ohne kaum selten verboten=verbietet,verbieten untersagt
    verweigert=verweigern abgelehnt=ablehnen,lehnt_ab vermeiden=vermeide,vermeidet ausgeschlossen fehlt=fehlen
    fehlgeschlagen=scheitert nur bloß lediglich ausschließlich mindestens höchstens maximal minimal außer
    ausgenommen ausnahme sofern bis aber jedoch doch obwohl allerdings dennoch sondern trotzdem einige=einigen
    manche manchmal meist=meistens fast ungefähr=circa genau immer stets oft häufig mehr weniger nicht_mehr
    noch_nicht wieder schon bereits vor nach zuerst zunächst danach davor vorher nachher später früher seit
    während statt=anstatt,anstelle lieber eher aktivieren=aktiviert,aktiviere deaktivieren=deaktiviert,deaktiviere
    einschalten=eingeschaltet,einzuschalten ausschalten=ausgeschaltet,auszuschalten,abschalten,abgeschaltet
    anschalten=angeschaltet erlauben=erlaubt zulassen=zugelassen sperren=gesperrt,blockiert
    starten=startet,gestartet stoppen=stoppt,gestoppt öffnen=geöffnet schließen=geschlossen hinzufügen=hinzugefügt
    entfernen=entfernt erhöhen=erhöht senken=gesenkt ja nein wahr falsch=fälschlich richtig irrtum wenn falls ob
    ansonsten oder entweder solange sobald vorausgesetzt vielleicht=evtl,eventuell möglicherweise vermutlich
    wahrscheinlich angeblich anscheinend scheinbar offenbar könnte=könnten,könntest würde=würden
    sollte=sollten,soll,sollen müsste=müssten muss=müssen darf=dürfen,dürfte möchte=möchten erwägen=erwogen,erwägt
    überlegen=überlegt geplant=plant,planen vorgeschlagen unklar unsicher unbekannt ungewiss entwurf
    beispielsweise=z.b storniert abgesagt widerrufen zurückgezogen veraltet überholt ersetzt=ersetzen
    """,
    doubtful="an aus ein auf zu",
    marks="der die das den dem und ist sind mit für wird werden im bei nicht kein keine auch sich wir ich",
)

FRENCH = Language(
    """
    non si ou ne pas jamais aucun=aucune rien personne ni sans guère interdit=interdite,interdire
    refusé=refuse,refuser nié=nier éviter=évite,évitez exclu=exclure échec=échoue seulement uniquement seul=seule
    au_moins au_plus jusqu'à=jusqu'au,jusqu'en,jusque sauf excepté hormis mais cependant toutefois pourtant
    bien_que quelques certains presque environ exactement toujours parfois souvent rarement généralement moins
    encore déjà avant après d'abord ensuite puis depuis pendant plutôt=plutôt_que au_lieu=au_lieu_de
    activer=activé,activée,active désactiver=désactivé,désactivée,désactive allumer=allumé éteindre=éteint
    autoriser=autorisé,autorise permettre=permis bloquer=bloqué démarrer=démarré arrêter=arrêté,arrêtez
    ouvrir=ouvert fermer=fermé ajouter=ajouté supprimer=supprimé augmenter=augmenté réduire=réduit oui vrai faux
    erreur s'il=s'ils sinon lorsque quand tant_que dès_que à_moins=à_moins_que peut-être probablement apparemment
    pourrait=pourraient,pourrions devrait=devraient,devrions,doit,doivent,devons faut serait=seraient
    envisagé=envisage,envisager prévu=prévoit proposé=propose incertain brouillon annulé=annuler révoqué obsolète
    remplacé=remplacer reporté
    """,
    doubtful="plus soit tout peu vers que",
    marks="le les est sont et avec pour dans une nous vous je il elle des du au aux cette pas ne",
)

SPANISH = Language(
    """
    nada sin ni solo más nunca jamás ningún=ninguno,ninguna nadie tampoco prohibido=prohibida,prohibir
    negado=negó,negar rechazado=rechazar evitar=evita excluido sólo=solamente únicamente al_menos por_lo_menos
    como_máximo como_mucho hasta excepto salvo pero aunque sino algunos=algunas alguno casi aproximadamente
    exactamente siempre a_veces menos todavía aún ya antes=antes_de después=después_de primero luego desde durante
    en_lugar=en_lugar_de en_vez=en_vez_de habilitar=habilitado,habilitada,habilita
    deshabilitar=deshabilitado,deshabilitada,inhabilitado activar=activado,activada,activa
    desactivar=desactivado,desactivada,desactiva encender=encendido,encendida apagar=apagado,apagada
    permitir=permitido,permite bloquear=bloqueado iniciar=iniciado detener=detenido abierto cerrado añadir=añadido
    eliminar=eliminado aumentar=aumentado reducir=reducido sí verdadero incorrecto cuando mientras quizás=quizá
    tal_vez probablemente podría=podrían debería=deberían,debe,deben considerado=considerar planeado=planea
    propuesto=propone borrador cancelado=cancelar revocado obsoleto reemplazado=reemplazar pospuesto aplazado
    """,
    doubtful="o tras todo algo alguien",
    marks="el los las es está son y con para en una del que por se lo su nosotros",
)

ITALIAN = Language(
    """
    non né più sì mai nessuno=nessuna niente nulla neanche=nemmeno,neppure senza vietato=vietata,vietare
    rifiutato=rifiuta negato=nega evitare=evita,evitate escluso soltanto=solamente almeno al_massimo
    fino_a=fino,fino_al eccetto=tranne però tuttavia anche_se alcuni=alcune quasi esattamente sempre talvolta
    spesso raramente meno ancora già prima dopo poi dal durante invece=invece_di piuttosto=piuttosto_che
    abilitare=abilitato,abilitata disabilitare=disabilitato,disabilitata attivare=attivato,attivata,attiva
    disattivare=disattivato,disattivata,disattiva acceso=accesa,accendere spento=spenta,spegnere
    permettere=permesso consentire=consentito bloccare=bloccato avviare=avviato fermare=fermato aperto chiuso
    aggiungere=aggiunto rimuovere=rimosso vero sbagliato quando mentre altrimenti oppure a_meno_che forse
    probabilmente potrebbe=potrebbero dovrebbe=dovrebbero,deve,devono considerato previsto proposto bozza
    annullato=annullare revocato obsoleto sostituito=sostituire rinviato
    """,
    doubtful="se o ma",
    marks="il gli è sono e con per una che di della nel alla le lo si",
)

PORTUGUESE = Language(
    """
    nem só não nunca jamais nenhum=nenhuma ninguém tampouco sem proibido=proibida,proibir recusado=recusa
    negado=nega evitar=evite excluído somente=apenas pelo_menos no_máximo até exceto=salvo mas porém embora
    alguns=algumas quase exatamente sempre às_vezes menos ainda já antes=antes_de depois=depois_de após primeiro
    então desde durante em_vez=em_vez_de ao_invés habilitar=habilitado,habilitada
    desabilitar=desabilitado,desabilitada ativar=ativado,ativada desativar=desativado,desativada
    ligado=ligada,ligar desligado=desligada,desligar permitir=permitido bloquear=bloqueado iniciar=iniciado aberto
    fechado adicionar=adicionado remover=removido sim verdadeiro errado quando enquanto talvez provavelmente
    poderia=poderiam deveria=deveriam,deve,devem considerado planejado proposto rascunho cancelado=cancelar
    revogado obsoleto substituído=substituir adiado
    """,
    doubtful="se",
    marks="o os é são está e com para em uma do da na no que por você nós",
)

DUTCH = Language(
    """
    aan uit mag moet toch niet nooit geen niets niemand nergens noch zonder nauwelijks zelden verboden
    geweigerd=weigert ontkend=ontkent vermijden=vermijd uitgesloten alleen slechts enkel uitsluitend minstens
    hoogstens tot behalve uitgezonderd maar echter hoewel sommige bijna ongeveer precies altijd soms vaak meestal
    meer minder niet_meer nog_niet alweer voordat nadat vóór daarna eerst vervolgens sinds tijdens
    plaats=in_plaats_van liever inschakelen=ingeschakeld uitschakelen=uitgeschakeld activeren=geactiveerd
    deactiveren=gedeactiveerd toestaan=toegestaan blokkeren=geblokkeerd gestart gestopt geopend gesloten
    toevoegen=toegevoegd verwijderen=verwijderd verhogen=verhoogd verlagen=verlaagd nee waar onwaar fout als
    tenzij indien anders misschien waarschijnlijk mogelijk blijkbaar zou=zouden zal=zullen moeten mogen
    overwogen=overweegt gepland voorgesteld concept geannuleerd ingetrokken verouderd vervangen uitgesteld
    """,
    doubtful="voor na of wel",
    marks="het een en zijn met van de niet geen wordt worden wij ik dat",
)

RUSSIAN = Language(
    """
    не ни нет никогда никто ничего без нельзя запрещено только лишь кроме минимум максимум но однако всегда иногда
    почти уже ещё до после перед сначала потом затем вместо включить=включать,включено,включён,включен
    отключить=отключено,отключён,выключить,выключено разрешено разрешить если пока когда или может=можно возможно
    вероятно должен=должна,должно,должны следует отменено устарел заменён
    """
)

LANGUAGES = (ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH, RUSSIAN)

# Chinese and Japanese write no spaces: these are found inside a run of signs, the longest first.
SIGNS = re.compile(
    "除非|如果|假如|若|之前|之后|以前|以后|先|再|然后|可能|也许|应该|必须|禁止|启用|禁用|停用|开启|关闭|打开|允许|拒绝|取消|至少|至多|最多|最少|"
    "不|没|沒|無|无|别|未|非|勿|只|仅|但|或|曾|ません|ない|なかった|しか|だけ|もし|かも|でしょう|べき|前に|後に|まで|以外|有効|無効|否"
)
