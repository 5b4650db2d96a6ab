import pytest, time
from streamlit.testing.v1 import AppTest
from tests.screens.conftest import APP, html
from tests.screens.results import add_results
from tests.screens.test_inspect import _queue
from workbench.ui.shared import access
from workbench.results.result_store import ResultStore
from workbench.results.filters import Filter
from workbench.annotation.votes import VoteStore
from workbench.tours.tour_library import TourLibrary
from workbench.tours.tour import *

G=["", " ", "\0", "%", "_", "'; DROP TABLE labels;--", "x"*20000, "-1", "999999999", "9999999999999999999999", "1e5","nan","٣","\ud800","\u202eabc","../../etc/passwd","<script>alert(1)</script>","[x](javascript:alert(1))","None","true","0","²", "🙂"*50,"\n\n# h1","a,b,c"]
def check(page, params, out):
    app = AppTest.from_file(str(APP), default_timeout=60)
    app.switch_page(f"pages/{page}.py")
    for k,v in params.items(): app.query_params[k]=v
    t=time.time()
    try: app.run()
    except Exception as e: out.append((page,{k:str(v)[:40] for k,v in params.items()},"RUN",repr(e)[:200])); return None
    text=html(app)
    if app.exception: out.append((page,{k:repr(v)[:40] for k,v in params.items()},"EXC",[e.message for e in app.exception][:1], [e.stack_trace[-3:] for e in app.exception][:1]))
    if "unexpected error" in text: out.append((page,{k:repr(v)[:40] for k,v in params.items()},"UNEXP"))
    if time.time()-t>5: out.append((page,{k:repr(v)[:40] for k,v in params.items()},"SLOW",time.time()-t))
    return app

def test_probe(bench):
    queue=_queue(bench)
    lib=TourLibrary(bench.settings.home)
    lib.add("demo",Tour(stops=(TourStop(question="\u202eq\0<script>",language="en",answer="# h\n<img src=x onerror=1>",recipe_title="[t](javascript:1)",recorded="2026-01-01",recipe=": [", documents=(TourDocument(rank=1,id="i\0",title="`x`",language="ar",text="abc",marks=((5,2),(0,1000000),(1,2),(1,3)),scores={"a|b":1e308}),)),TourStop(question="",language="",answer="",recipe_title="",recorded="2026-01-01"))))
    st=ResultStore.at(bench.settings.database_url)
    out=[]
    for g in G:
        for page,base,keys in [
            ("tour",{},["tour"]),("tour",{"tour":"demo"},["stop","parts"]),
            ("inspect",{},["view","search","metric","within","page","instance","only"]),
            ("inspect",{},["experiment","run","mode","scope","prompt","language"]),
            ("inspect",{"view":"annotate"},["queue","annotator","reads"]),
            ("inspect",{"view":"annotate","queue":queue.id},["annotator"]),
            ("inspect",{"view":"annotate","queue":queue.id,"annotator":"Ada","reads":["en"]},["item","showing"]),
            ("compare",{},["view","q","lang","recipe","instance"]),
            ("compare",{"view":"languages"},["dataset","question","language"]),
            ("compare",{"view":"languages","dataset":"sample"},["question","language"]),
            ("compare",{"view":"votes"},["ballot","voter","reads"]),
        ]:
            check(page,{**base,**{k:g for k in keys}},out)
    for stop in "12":
        for parts in "1234":
            check("tour",{"tour":"demo","stop":stop,"parts":parts},out)
    for p in [dict(recipe=["mode=drag"]*50),dict(recipe=["mode=drag&mode=trag&k=-1","k=99999999","encoder=../../x"]),dict(instance="1"),dict(instance="999999999"),dict(view="languages",instance="1"),dict(view="votes",ballot="x",instance="1"),dict(view="languages",q="x",ask="1",language=["xx","en","en"]),dict(view="languages",q="x"*100000,ask="1")]:
        check("compare",p,out)
    for p in [dict(only=["unlabelled","wrong-language","x"]),dict(within="nan~1",metric="clr"),dict(within="5~-5",metric="clr"),dict(within="inf~inf",metric="char3_recall"),dict(metric="clr",within="1~0")]:
        check("inspect",p,out)
    for o in out: print(o)
    print(len(out))
